// Covers extraction of bundles, and clean-up after a failure.
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { create as createTar } from 'tar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { extractBundle } from './extract-bundle.ts';
import { DEFAULT_ARCHIVE_LIMITS as limits } from './limits.ts';

const run = promisify(execFile);
let base: string;
let from: string;
let to: string;
let file: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'pressroom-extract-'));
  from = join(base, 'from');
  to = join(base, 'to');
  file = join(base, 'bundle.tar.gz');
  await mkdir(from);
});

afterEach(() => rm(base, { recursive: true }));

async function put(path: string, content: string | Buffer, mode = 0o644): Promise<void> {
  await mkdir(dirname(join(from, path)), { recursive: true });
  await writeFile(join(from, path), content);
  await chmod(join(from, path), mode);
}

const pack = (...args: string[]) =>
  run('tar', ['-C', from, '-czf', file, ...(args.length > 0 ? args : ['.'])]);

async function treeOf(root: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    found[path.slice(root.length)] = entry.isDirectory()
      ? 'directory'
      : (await readFile(path)).toString('hex');
  }
  return found;
}

const modeOf = async (path: string) => ((await stat(join(to, path))).mode & 0o7777).toString(8);

describe('extractBundle', () => {
  it('names the texts that are not UTF-8, and changes no byte', async () => {
    const latin1 = Buffer.from('Grüße', 'latin1');
    const utf16 = Buffer.from('Words', 'utf16le');
    const long = Buffer.from('é'.repeat(400_000));
    await put('a.Rmd', latin1);
    await put('bom.Rmd', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]));
    await put('long.Rmd', long);
    await put('long-latin1.Rmd', Buffer.concat([long, latin1]));
    await put('sub/cut.Rmd', long.subarray(0, -1));
    await put('sub/words.Rmd', utf16);
    await put('utf8.Rmd', '\ufeffGrüße, 日本');
    await put('picture.png', latin1);
    await put('bom.html', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]));
    await put('words.html', utf16);
    await pack();
    const { notUtf8 } = await extractBundle({ file, directory: to, limits, texts: /\.(?:rmd|html)$/i });
    const documents = ['a.Rmd', 'bom.Rmd', 'long-latin1.Rmd', 'sub/cut.Rmd', 'sub/words.Rmd'];
    const expected = [...documents, 'words.html'];
    expect(notUtf8.toSorted()).toEqual(expected);
    expect(await treeOf(to)).toEqual(await treeOf(from));
  });

  it('restores the same tree, with empty, small and large files', async () => {
    await put('index.html', '<p>Hello</p>');
    await put('empty.txt', '');
    await put('a/b/c/deep.bin', Buffer.alloc(512, 7));
    await put('big.bin', Buffer.alloc(1_000_001, 'pressroom'));
    await put(`${'n'.repeat(120)}/${'m'.repeat(200)}.txt`, 'long');
    await put('Grüße/日本.txt', 'text');
    await mkdir(join(from, 'empty'));
    await pack();
    const written = await extractBundle({ file, directory: to, limits });
    expect(await treeOf(to)).toEqual(await treeOf(from));
    expect(written).toEqual({ files: 6, directories: 6, bytes: 12 + 512 + 1_000_001 + 4 + 4, notUtf8: [] });
  });

  it('restores arbitrary trees unchanged', async () => {
    const name = fc.stringMatching(/^[a-z0-9]{1,8}$/);
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    // File names end in .f, so that no file has the path of a directory.
    const tree = fc.dictionary(path, fc.uint8Array({ maxLength: 2000 }), { maxKeys: 12 });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(tree, async (contents) => {
        round += 1;
        from = join(base, `from-${round}`);
        await mkdir(from);
        for (const [key, bytes] of Object.entries(contents)) await put(`${key}.f`, Buffer.from(bytes));
        await pack('--format=posix', '.');
        const target = join(base, `to-${round}`);
        await extractBundle({ file, directory: target, limits });
        expect(await treeOf(target)).toEqual(await treeOf(from));
      }),
      { numRuns: 25 },
    );
  });

  it('reads headers of npm’s tar package, which stores times at the end of the prefix field', async () => {
    await put('index.html', '<p>Hello</p>');
    await put(`${'d'.repeat(60)}/${'e'.repeat(60)}/${'f'.repeat(60)}.txt`, 'in the prefix');
    await put(`${'d'.repeat(70)}/${'e'.repeat(70)}/${'f'.repeat(60)}.txt`, 'too long for that');
    // A time before 1970 is negative, which an octal number cannot express.
    await put('old.txt', 'x');
    await utimes(join(from, 'old.txt'), -86_400, -86_400);
    await createTar({ file, gzip: true, cwd: from }, ['.']);
    const block = gunzipSync(await readFile(file)).subarray(0, 512);
    expect(block.toString('latin1', 475, 500)).toMatch(/^\0[0-7]{11}[ \0][0-7]{11}[ \0]$/);
    await extractBundle({ file, directory: to, limits });
    expect(await treeOf(to)).toEqual(await treeOf(from));
  });

  it('rejects text after the end of the prefix field that is not a time with error 135', async () => {
    await put('index.html', 'x');
    await createTar({ file, gzip: true, cwd: from }, ['index.html']);
    const bytes = gunzipSync(await readFile(file));
    bytes.write('evil/../evil', 476);
    bytes.write('        ', 148);
    const sum = bytes.subarray(0, 512).reduce((total, byte) => total + byte, 0);
    bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    await writeFile(file, gzipSync(bytes));
    await expect(extractBundle({ file, directory: to, limits })).rejects.toMatchObject({ code: 135 });
  });

  it('sets its own modes, keeps only the execute bit, and sets the current time', async () => {
    await put('plain.txt', 'x', 0o600);
    await put('run.sh', 'x', 0o4711);
    await put('open.txt', 'x', 0o666);
    await put('dir/inside.txt', 'x');
    await chmod(join(from, 'dir'), 0o1777);
    await utimes(join(from, 'plain.txt'), 1, 1);
    await pack();
    const before = Math.floor(Date.now() / 1000) - 1;
    await extractBundle({ file, directory: to, limits });
    expect(await modeOf('.')).toBe('755');
    expect(await modeOf('plain.txt')).toBe('644');
    expect(await modeOf('run.sh')).toBe('755');
    expect(await modeOf('open.txt')).toBe('644');
    expect(await modeOf('dir')).toBe('755');
    expect((await stat(join(to, 'plain.txt'))).mtimeMs / 1000).toBeGreaterThanOrEqual(before);
  });

  it('sets the same modes under a strict umask', async () => {
    await put('dir/plain.txt', 'x');
    await put('run.sh', 'x', 0o755);
    await put('big.bin', Buffer.alloc(500_000));
    await pack();
    // Runs in a child process, since the umask applies to the whole process.
    const script = `import { extractBundle, DEFAULT_ARCHIVE_LIMITS as limits } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))};
      process.umask(0o077);
      await extractBundle({ file: ${JSON.stringify(file)}, directory: ${JSON.stringify(to)}, limits });`;
    await run(process.execPath, ['--input-type=module', '-e', script]);
    expect(await modeOf('.')).toBe('755');
    expect(await modeOf('dir')).toBe('755');
    expect(await modeOf('dir/plain.txt')).toBe('644');
    expect(await modeOf('run.sh')).toBe('755');
    expect(await modeOf('big.bin')).toBe('644');
  });

  it('extracts more files than are flushed one by one', async () => {
    for (let i = 0; i < 400; i++) await put(`d${i % 7}/f${i}`, String(i));
    await pack();
    await extractBundle({ file, directory: to, limits });
    expect(await treeOf(to)).toEqual(await treeOf(from));
  });

  it('reports each entry to onEntry', async () => {
    await put('a/one.txt', 'x');
    await pack('a');
    const seen: unknown[] = [];
    await extractBundle({ file, directory: to, limits, onEntry: (entry) => seen.push(entry) });
    expect(seen).toEqual([
      { path: 'a', type: 'directory', size: 0 },
      { path: 'a/one.txt', type: 'file', size: 1 },
    ]);
  });

  it('rejects a target directory that exists with error 134 and leaves it unchanged', async () => {
    await put('a.txt', 'x');
    await pack();
    await mkdir(to);
    await writeFile(join(to, 'mine'), 'x');
    await expect(extractBundle({ file, directory: to, limits })).rejects.toMatchObject({ code: 134 });
    expect(await readdir(to)).toEqual(['mine']);
  });

  it('removes the directory when the archive is truncated', async () => {
    for (let i = 0; i < 50; i++) await put(`f${i}.bin`, Buffer.alloc(20_000, i));
    await pack();
    await writeFile(file, (await readFile(file)).subarray(0, -100));
    await expect(extractBundle({ file, directory: to, limits })).rejects.toMatchObject({ code: 135 });
    expect(await readdir(base)).toEqual(['bundle.tar.gz', 'from']);
  });

  it('removes the directory when aborted midway', async () => {
    // Incompressible, so that the archive is read in several chunks.
    for (let i = 0; i < 20; i++) {
      await put(`f${i}.bin`, Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))));
    }
    await pack();
    const stop = new AbortController();
    const onEntry = (): void => stop.abort(new Error('cancelled'));
    const work = extractBundle({ file, directory: to, limits, signal: stop.signal, onEntry });
    await expect(work).rejects.toThrow('cancelled');
    expect(await readdir(base)).toEqual(['bundle.tar.gz', 'from']);
  });

  it('rejects with error 135 without a path when the stored archive is missing', async () => {
    await expect(extractBundle({ file, directory: to, limits })).rejects.toMatchObject({
      code: 135,
      message: 'Unable to extract bundle: the stored archive cannot be read',
    });
    expect(await readdir(base)).toEqual(['from']);
  });
});

describe('M11: disk reserve', () => {
  it('rejects with error 134 and removes the unpacked files when the disk reserve is exceeded', async () => {
    await put('index.html', 'x');
    await pack();
    const greedy = { ...limits, diskReserve: 2 ** 60 };
    await expect(extractBundle({ file, directory: to, limits: greedy })).rejects.toMatchObject({
      code: 134,
      message: expect.stringMatching(/^Unable to write bundle to disk: there is room for 0 MiB more/),
    });
    expect(await readdir(base)).not.toContain('to');
  });
});

describe('Names and modes that could mislead a terminal, a person or a shell', () => {
  it.each([
    ['a line break', 'a\nb'],
    ['a terminal escape sequence', 'a\u001b[2Jb'],
    ['a right-to-left override', 'a\u202egpj.exe'],
    ['a directional isolate', 'a\u2066b'],
    ['a zero-width space', 'a\u200bb'],
    ['a zero-width joiner', 'a\u200db'],
    ['a tag character', 'a\u{e0041}b'],
    ['a line separator (U+2028)', 'a\u2028b'],
  ])('rejects %s in a name with error 135 and escapes it in the message', async (_what, name) => {
    await put(name, 'x');
    await pack();
    const refused = extractBundle({ file, directory: to, limits });
    await expect(refused).rejects.toMatchObject({ code: 135 });
    await expect(refused).rejects.toThrow(
      /entry "[\x20-\x7e]+" has a line end, a control or an invisible character/,
    );
  });

  it('drops set-uid, set-gid and sticky bits, and write permission for others', async () => {
    for (const mode of [0o4755, 0o2755, 0o1777, 0o6777]) await put(`m${mode.toString(8)}`, 'x', mode);
    await put('plain', 'x', 0o2666);
    await mkdir(join(from, 'd'));
    await chmod(join(from, 'd'), 0o3777);
    await pack();
    await extractBundle({ file, directory: to, limits });
    for (const mode of ['4755', '2755', '1777', '6777']) expect(await modeOf(`m${mode}`)).toBe('755');
    expect([await modeOf('plain'), await modeOf('d')]).toEqual(['644', '755']);
  });
});
