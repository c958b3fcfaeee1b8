// Covers uploads: complete ones, and ones that are cut off.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ApiError } from '@pressroom/api/contract';
import { create } from 'tar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_ARCHIVE_LIMITS as limits } from './limits.ts';
import { readManifest } from './read-manifest.ts';
import { receiveBundle, type ReceiveBundleOptions } from './receive-bundle.ts';

const run = promisify(execFile);
let directory: string;
let uploads: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pressroom-receive-'));
  uploads = join(directory, 'uploads');
  await mkdir(uploads);
  await mkdir(join(directory, 'site', 'data'), { recursive: true });
  await writeFile(join(directory, 'site', 'index.html'), '<p>Hello</p>');
  await writeFile(join(directory, 'site', 'data', 'a.csv'), 'a,b\n'.repeat(50_000));
  await writeManifest({
    version: 1,
    metadata: { appmode: 'static', primary_html: 'index.html' },
    files: null,
  });
});

afterEach(() => rm(directory, { recursive: true }));

async function writeManifest(manifest: unknown): Promise<void> {
  await writeFile(join(directory, 'site', 'manifest.json'), JSON.stringify(manifest));
}

async function gnuTar(...args: string[]): Promise<Buffer> {
  const { stdout } = await run('tar', ['-C', join(directory, 'site'), '-cz', ...args], {
    encoding: 'buffer',
    maxBuffer: 1e8,
  });
  return stdout;
}

function receive(bytes: Buffer | Readable, options: Partial<ReceiveBundleOptions> = {}) {
  const source = bytes instanceof Readable ? bytes : Readable.from([bytes]);
  return receiveBundle({ source, file: join(uploads, 'one'), limits, ...options });
}

async function codeOf(work: Promise<unknown>): Promise<number> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw error ?? new Error('was accepted');
  return error.code;
}

describe('receiveBundle', () => {
  it.each([
    ['GNU tar of "."', ['.']],
    ['GNU tar of named files', ['manifest.json', 'index.html', 'data/a.csv']],
    [
      'GNU tar without directory entries',
      ['--no-recursion', './manifest.json', './index.html', './data/a.csv'],
    ],
    [
      'the directory itself as "/", as tarfile for Python does',
      ['--absolute-names', '--transform=s,^\\./\\?,/,;s,^/\\(.\\),\\1,', '.'],
    ],
    ['V7 tar', ['--format=v7', '.']],
    ['ustar', ['--format=ustar', '.']],
    ['old GNU tar', ['--format=oldgnu', '.']],
    ['pax with all times', ['--format=posix', '.']],
    ['an owner whose id needs base 256', ['--owner=big:4000000000', '--group=big:4000000000', '.']],
    ['directories named twice', ['.', 'data', '--no-recursion', 'data']],
  ])('accepts %s', async (_name, args) => {
    const named = args.includes('data')
      ? ['./data', '--no-recursion', './manifest.json', './index.html', './data']
      : args;
    const bytes = await gnuTar(...named);
    const { size, md5, manifest } = await receive(bytes, { declaredLength: bytes.length });
    expect(size).toBe(bytes.length);
    expect(md5).toBe(createHash('md5').update(bytes).digest('hex'));
    expect(manifest.primary_html).toBe('index.html');
    expect(await readFile(join(uploads, 'one'))).toEqual(bytes);
    expect((await stat(join(uploads, 'one'))).mode & 0o777).toBe(0o600);
  });

  it('accepts an archive written by node-tar', async () => {
    const stream = create({ cwd: join(directory, 'site'), gzip: true, portable: true }, ['.']);
    expect((await receive(Readable.from(stream))).manifest.appmode).toBe('static');
  });

  it('accepts several gzip members that form one archive', async () => {
    const tar = gunzipSync(await gnuTar('.'));
    const bytes = Buffer.concat([gzipSync(tar.subarray(0, 700)), gzipSync(''), gzipSync(tar.subarray(700))]);
    expect((await receive(bytes)).size).toBe(bytes.length);
  });

  it('accepts the global header of git archive', async () => {
    await run('git', ['init', '-q', join(directory, 'site')]);
    const git = ['-C', join(directory, 'site'), '-c', 'user.name=a', '-c', 'user.email=a@b'];
    await run('git', [...git, 'add', '.']);
    await run('git', [...git, 'commit', '-qm', 'x']);
    const { stdout } = await run('git', [...git, 'archive', '--format=tar.gz', 'HEAD'], {
      encoding: 'buffer',
      maxBuffer: 1e8,
    });
    expect((await receive(stdout)).manifest.appmode).toBe('static');
  });

  it.each([
    ['lower-case hex', (md5: Buffer) => md5.toString('hex')],
    ['upper-case hex', (md5: Buffer) => md5.toString('hex').toUpperCase()],
    ['base64', (md5: Buffer) => md5.toString('base64')],
    ['hex between spaces', (md5: Buffer) => ` ${md5.toString('hex')} `],
  ])('accepts a checksum in %s', async (_name, encode) => {
    const bytes = await gnuTar('.');
    const checksum = encode(createHash('md5').update(bytes).digest());
    await expect(receive(bytes, { checksum })).resolves.toMatchObject({ size: bytes.length });
  });

  it('accepts a manifest that lists files missing from the archive', async () => {
    await writeManifest({
      version: 1,
      metadata: { appmode: 'static' },
      files: { 'gone.csv': { checksum: 'x' } },
    });
    const { manifest } = await receive(await gnuTar('.'));
    expect(manifest.files).toEqual({ 'gone.csv': { checksum: 'x' } });
  });

  it('accepts a primary_html other than index.html', async () => {
    await writeFile(join(directory, 'site', 'report.html'), 'x');
    await writeManifest({ version: 1, metadata: { appmode: 'static', primary_html: 'report.html' } });
    expect((await receive(await gnuTar('.'))).manifest.primary_html).toBe('report.html');
  });

  it('reads a rejected upload to its end, so that the client receives the response', async () => {
    const source = Readable.from(Array.from({ length: 500 }, () => Buffer.alloc(10_000, 1)));
    expect(await codeOf(receive(source))).toBe(135);
    expect(source.readableEnded).toBe(true);
    expect(await readdir(uploads)).toEqual([]);
  });

  it('names a ZIP archive, whatever pieces it arrives in', async () => {
    const zip = Buffer.from('PK\u0003\u0004 and so on', 'latin1');
    for (const source of [zip, Readable.from([zip.subarray(0, 3), zip.subarray(3)])])
      await expect(receive(source)).rejects.toThrow('a ZIP archive, not a tar.gz');
    await expect(receive(Buffer.from('text'))).rejects.toThrow('not gzip-compressed data');
  });

  it('stops reading at the size limit without destroying the request', async () => {
    const source = new PassThrough();
    source.write(Buffer.alloc(2000));
    expect(await codeOf(receive(source, { limits: { ...limits, maxBundleBytes: 1000 } }))).toBe(135);
    expect(source.destroyed).toBe(false);
    expect(await readdir(uploads)).toEqual([]);
  });

  it('rejects a declared length above the limit before it reads the body', async () => {
    const source = new PassThrough();
    const work = receive(source, { declaredLength: 1001, limits: { ...limits, maxBundleBytes: 1000 } });
    expect(await codeOf(work)).toBe(135);
    expect(source.readableDidRead).toBe(false);
  });

  it('reports a wrong checksum (104) or length (126) before an invalid archive', async () => {
    const checksum = createHash('md5').update('whole').digest('hex');
    expect(await codeOf(receive(Buffer.from('no archive'), { checksum, declaredLength: 10 }))).toBe(104);
    expect(await codeOf(receive(Buffer.from('no archive'), { checksum, declaredLength: 11 }))).toBe(126);
  });

  it('rejects with the client’s error when the client disconnects, and leaves no file', async () => {
    const source = new PassThrough();
    source.write((await gnuTar('.')).subarray(0, 400));
    const work = receive(source);
    source.destroy(new Error('gone'));
    await expect(work).rejects.toThrow('gone');
    expect(await readdir(uploads)).toEqual([]);
  });

  it('rejects when the request closes before its end', async () => {
    const source = new PassThrough();
    source.write('x');
    const work = receive(source);
    source.destroy();
    await expect(work).rejects.toThrow(/before it was complete/);
    expect(await readdir(uploads)).toEqual([]);
  });

  it('rejects a request that was closed before the upload started', async () => {
    const source = new PassThrough();
    source.destroy();
    await expect(receive(source)).rejects.toThrow(/before it was complete/);
  });

  it('rejects with the abort reason while the client is silent, and leaves no file', async () => {
    const source = new PassThrough();
    const stop = new AbortController();
    const work = receive(source, { signal: stop.signal });
    stop.abort(new Error('shutting down'));
    await expect(work).rejects.toThrow('shutting down');
    expect(source.destroyed).toBe(false);
    expect(await readdir(uploads)).toEqual([]);
  });

  it('rejects with error 134 without the path when the file cannot be created or already exists', async () => {
    const bytes = await gnuTar('.');
    const missing = receive(bytes, { file: join(directory, 'none', 'one') });
    await expect(missing).rejects.toMatchObject({
      code: 134,
      message: 'Unable to write bundle to disk: ENOENT',
    });
    await writeFile(join(uploads, 'one'), 'mine');
    expect(await codeOf(receive(bytes))).toBe(134);
    expect(await readFile(join(uploads, 'one'), 'utf8')).toBe('mine');
  });
});

describe('M11: upload limits', () => {
  it('rejects an upload that exceeds the disk reserve, names DiskReserve, and leaves no file', async () => {
    const work = receive(await gnuTar('.'), { limits: { ...limits, diskReserve: 2 ** 60 } });
    await expect(work).rejects.toMatchObject({ code: 134, message: expect.stringContaining('DiskReserve') });
    expect(await readdir(uploads)).toEqual([]);
  });

  it('keeps only the used fields of a 9 MiB manifest without blocking the event loop', async () => {
    const description = { Version: '1.0', Title: 'x'.repeat(9000) };
    const packages = Object.fromEntries(
      Array.from({ length: 1000 }, (_, i) => [`p${i}`, { Source: 'CRAN', Repository: null, description }]),
    );
    await writeManifest({
      version: 1,
      metadata: { appmode: 'static', primary_html: 'index.html' },
      packages,
      files: {},
      more: ['unknown'],
    });
    const bytes = await readFile(join(directory, 'site', 'manifest.json'));
    expect(bytes.length).toBeGreaterThan(9e6);
    let turns = 0;
    let waiting = true;
    const turn = () => {
      turns += 1;
      if (waiting) setImmediate(turn);
    };
    setImmediate(turn);
    const manifest = await readManifest(bytes);
    waiting = false;
    expect(turns).toBeGreaterThan(10);
    expect(JSON.stringify(manifest).length).toBeLessThan(100_000);
    expect(manifest.packages!.p999).toEqual({
      Source: 'CRAN',
      Repository: null,
      description: { Version: '1.0' },
    });
    expect((await receive(await gnuTar('.'))).manifest).toEqual(manifest);
  });

  it.each([
    ['text', { locale: 'x'.repeat(9e6) }, /locale has more than 1024 characters|more than the server keeps/],
    ['short text', { platform: 'x'.repeat(2000) }, /platform has more than 1024 characters/],
    [
      'packages',
      { packages: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`p${i}`, {}])) },
      /more than 4000 packages/,
    ],
    ['metadata', { metadata: { appmode: 'static', more: 'x'.repeat(2e6) } }, /more than the server keeps/],
  ])('rejects a manifest with too much %s', async (_what, fields, message) => {
    await writeManifest({
      version: 1,
      metadata: { appmode: 'static', primary_html: 'index.html' },
      ...fields,
    });
    const work = receive(await gnuTar('.'));
    await expect(work).rejects.toMatchObject({ code: 38, message: expect.stringMatching(message) });
  });

  it('rejects a large manifest that is invalid JSON with error 38', async () => {
    await writeFile(join(directory, 'site', 'manifest.json'), '['.repeat(2e6));
    await expect(receive(await gnuTar('.'))).rejects.toMatchObject({ code: 38 });
  });
});
