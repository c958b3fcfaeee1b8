// Covers bundle archives: other tools can read them, equal input gives equal bytes, and changed files cause an error.
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  appendFileSync, mkdirSync, readFileSync, renameSync, symlinkSync, truncateSync, unlinkSync, utimesSync, writeFileSync,
} from 'node:fs'; // prettier-ignore
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { ManifestFile } from '../../contract/manifest/manifest-file.ts';
import type { BundleFile } from '../collect/bundle-file.ts';
import { collectFiles } from '../collect/collect-files.ts';
import { createTree, openBelow, type TemporaryTree } from '../collect/testing.ts';
import { packBundle, type PackProgress } from './pack-bundle.ts';

const manifest: ManifestFile = { version: 1, metadata: { appmode: 'static' }, files: {} };

async function collected(tree: TemporaryTree): Promise<BundleFile[]> {
  return (await collectFiles(tree.dir)).files;
}

async function pack(root: string, files: readonly BundleFile[]): Promise<Buffer> {
  const { stream, done } = packBundle({ root, files, manifest });
  const bytes = await buffer(stream);
  const { size, md5 } = await done;
  expect(size).toBe(bytes.length);
  expect(md5).toBe(createHash('md5').update(bytes).digest('hex'));
  return bytes;
}

function sample(): TemporaryTree {
  const long = `${'deep-directory-name/'.repeat(12)}${'n'.repeat(120)}.txt`;
  return createTree({
    'index.html': '<h1>hello</h1>',
    empty: '',
    'exact.bin': randomBytes(512),
    'big.bin': randomBytes(3 * 1024 * 1024 + 17),
    'big.csv': 'a,b,c\n1,2,3\n'.repeat(200_000),
    'umlaut-äöü-日本.txt': 'x',
    [long]: 'long',
  });
}

test('creates an archive that tar, gzip and Python read with the same bytes', async () => {
  using tree = sample();
  using out = createTree();
  const archive = await pack(tree.dir, await collected(tree));
  out.write('b.tar.gz', archive);
  const file = path.join(out.dir, 'b.tar.gz');
  execFileSync('gzip', ['-t', file]);
  mkdirSync(path.join(out.dir, 'x'));
  const extracted = execFileSync('tar', ['xzf', file, '-C', path.join(out.dir, 'x')], { stdio: 'pipe' });
  expect(extracted.toString()).toBe('');
  expect(JSON.parse(readFileSync(path.join(out.dir, 'x/manifest.json'), 'utf8'))).toEqual(manifest);
  unlinkSync(path.join(out.dir, 'x/manifest.json'));
  execFileSync('diff', ['-r', tree.dir, path.join(out.dir, 'x')]);
  const script = [
    'import sys,tarfile,hashlib',
    't=tarfile.open(sys.argv[1])',
    'ms=t.getmembers()',
    'assert ms[0].name=="manifest.json"',
    'assert all(m.isreg() and m.uid==0 and m.gid==0 and m.mtime==0 and m.uname=="" for m in ms)',
    'print(len(ms), sum(len(t.extractfile(m).read()) for m in ms[1:]))',
  ].join('\n');
  const files = await collected(tree);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  expect(execFileSync('/usr/bin/python3', ['-c', script, file]).toString().trim()).toBe(
    `${files.length + 1} ${bytes}`,
  );
});

test('creates the same bytes for the same content, whatever its times, place and order', async () => {
  using one = createTree({ 'a.txt': 'a', 'b/c.txt': 'c', 'big.csv': 'x,y\n'.repeat(400_000) });
  using two = createTree({ 'big.csv': 'x,y\n'.repeat(400_000), 'b/c.txt': 'c', 'a.txt': 'a' });
  utimesSync(path.join(two.dir, 'a.txt'), 1, 1);
  const first = await pack(one.dir, await collected(one));
  const second = await pack(two.dir, (await collected(two)).toReversed());
  expect(second.equals(first)).toBe(true);
  two.write('a.txt', 'A');
  expect((await pack(two.dir, await collected(two))).equals(first)).toBe(false);
});

test('replaces a manifest.json among the files with the given one', async () => {
  using tree = createTree({ 'manifest.json': '{"old":true}', 'a.txt': '' });
  const tar = gunzipSync(await pack(tree.dir, await collected(tree)));
  expect(tar.toString('latin1').split('manifest.json').length - 1).toBe(1);
  expect(tar.includes('"old"')).toBe(false);
});

test('archives links inside the root as the files they lead to', async () => {
  using tree = createTree({ 'real.txt': 'content' });
  using out = createTree();
  symlinkSync('real.txt', path.join(tree.dir, 'link.txt'));
  out.write('b.tgz', await pack(tree.dir, await collected(tree)));
  const listing = execFileSync('tar', ['tvzf', path.join(out.dir, 'b.tgz')]).toString();
  expect(listing).toMatch(/-rw-r--r-- 0\/0 +7 .*link\.txt\n/);
  expect(listing).not.toContain('->');
});

test('reports complete progress at the end', async () => {
  using tree = sample();
  const files = await collected(tree);
  const seen: PackProgress[] = [];
  const { stream, done } = packBundle({
    root: tree.dir,
    files,
    manifest,
    onProgress: (progress) => seen.push(progress),
  });
  await buffer(stream);
  const { size } = await done;
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  expect(seen.at(-1)).toEqual({
    files: files.length,
    totalFiles: files.length,
    bytes,
    totalBytes: bytes,
    packed: size,
  });
});

const BIG = 2 * 1024 * 1024;

test.each<[string, string, (dir: string) => void]>([
  ['a small file that grew', 'file-changed', (dir) => appendFileSync(path.join(dir, 'small'), 'x')],
  ['a small file that shrank', 'file-changed', (dir) => truncateSync(path.join(dir, 'small'), 1)],
  [
    'a small file rewritten in the same size',
    'file-changed',
    (dir) => rewrite(path.join(dir, 'small'), 'SMALL'),
  ],
  ['a small file that was deleted', 'file-missing', (dir) => unlinkSync(path.join(dir, 'small'))],
  ['a big file that grew', 'file-changed', (dir) => appendFileSync(path.join(dir, 'big'), 'x')],
  ['a big file that shrank', 'file-changed', (dir) => truncateSync(path.join(dir, 'big'), BIG - 1)],
  [
    'a file replaced by a directory',
    'file-changed',
    (dir) => swap(dir, 'small', () => mkdirSync(path.join(dir, 'small'))),
  ],
  [
    'a file replaced by a pipe',
    'file-changed',
    (dir) => swap(dir, 'small', () => execFileSync('mkfifo', [path.join(dir, 'small')])),
  ],
])('%s fails with %s and leaves nothing open', async (_what, code, change) => {
  using tree = createTree({ small: 'small', big: randomBytes(BIG), other: 'x' });
  const files = await collected(tree);
  change(tree.dir);
  const { stream, done } = packBundle({ root: tree.dir, files, manifest });
  await expect(buffer(stream)).rejects.toMatchObject({ name: 'BundleError', code });
  await expect(done).rejects.toMatchObject({ code });
  expect(openBelow(tree.dir)).toEqual([]);
});

test('fails when a file changes while it is read', async () => {
  using tree = createTree({ big: randomBytes(24 * 1024 * 1024) });
  const files = await collected(tree);
  const { stream, done } = packBundle({ root: tree.dir, files, manifest });
  let pieces = 0;
  const reading = (async () => {
    for await (const _ of stream) {
      pieces += 1;
      if (pieces !== 4) continue;
      expect(openBelow(tree.dir)).toHaveLength(1);
      utimesSync(path.join(tree.dir, 'big'), 5, 5);
    }
  })();
  await expect(reading).rejects.toMatchObject({ code: 'file-changed' });
  await expect(done).rejects.toMatchObject({ code: 'file-changed' });
  expect(openBelow(tree.dir)).toEqual([]);
});

test.each(['with', 'without'])(
  'does not follow files and directories swapped for outside links, %s stamps',
  async (stamps) => {
    using outside = createTree({ 'secret.txt': 'same!' });
    for (const swapped of ['file', 'directory']) {
      using tree = createTree({ 'd/secret.txt': 'same!' });
      let files = await collected(tree);
      if (stamps === 'without')
        files = files.map(({ path: name, size, mode }) => ({ path: name, size, mode }));
      const victim = path.join(tree.dir, swapped === 'file' ? 'd/secret.txt' : 'd');
      renameSync(victim, `${victim}.away`);
      symlinkSync(path.join(outside.dir, swapped === 'file' ? 'secret.txt' : '.'), victim);
      const { stream, done } = packBundle({ root: tree.dir, files, manifest });
      await expect(buffer(stream)).rejects.toMatchObject({ name: 'BundleError' });
      await expect(done).rejects.toMatchObject({ code: expect.stringMatching(/file-changed|unsafe-path/) });
    }
  },
);

test.each(['../x', '/etc/passwd', 'a/../../x', 'a\\b', ''])('rejects the path %j', async (name) => {
  using tree = createTree({ a: 'x' });
  const { stream } = packBundle({ root: tree.dir, files: [{ path: name, size: 1, mode: 0o644 }], manifest });
  await expect(buffer(stream)).rejects.toMatchObject({ code: 'unsafe-path' });
});

test('rejects an empty list of files and duplicate files', async () => {
  using tree = createTree({ a: 'x' });
  const files = await collected(tree);
  await expect(buffer(packBundle({ root: tree.dir, files: [], manifest }).stream)).rejects.toMatchObject({
    code: 'nothing-to-pack',
  });
  const twice = packBundle({ root: tree.dir, files: [...files, ...files], manifest });
  await expect(buffer(twice.stream)).rejects.toMatchObject({ code: 'unsafe-path' });
});

test('an abort rejects stream and done with its reason and leaves no descriptor open', async () => {
  using tree = createTree();
  for (let index = 0; index < 300; index += 1) tree.write(`s${index}`, randomBytes(2000));
  tree.write('z.bin', randomBytes(20 * 1024 * 1024));
  const files = await collected(tree);
  for (const after of [0, 1, 3, 8]) {
    const controller = new AbortController();
    const reason = new Error('enough');
    const { stream, done } = packBundle({ root: tree.dir, files, manifest, signal: controller.signal });
    let pieces = 0;
    if (after === 0) controller.abort(reason);
    const reading = (async () => {
      for await (const _ of stream) {
        pieces += 1;
        if (pieces === after) controller.abort(reason);
      }
    })();
    await expect(reading).rejects.toBe(reason);
    await expect(done).rejects.toBe(reason);
    expect(openBelow(tree.dir)).toEqual([]);
  }
});

test('a destroyed stream rejects done and leaves no descriptor open', async () => {
  using tree = createTree({ 'big.bin': randomBytes(8 * 1024 * 1024) });
  const { stream, done } = packBundle({ root: tree.dir, files: await collected(tree), manifest });
  for await (const _ of stream) break;
  await expect(done).rejects.toThrow();
  expect(openBelow(tree.dir)).toEqual([]);
});

test('opens nothing before the stream is read', async () => {
  using tree = createTree({ a: 'x' });
  const { stream, done } = packBundle({ root: tree.dir, files: await collected(tree), manifest });
  expect(openBelow(tree.dir)).toEqual([]);
  stream.destroy();
  await expect(done).rejects.toThrow();
});

function rewrite(file: string, text: string): void {
  writeFileSync(file, text);
  // A coarse clock could give the new file the same modification time.
  utimesSync(file, 9, 9);
}

function swap(dir: string, name: string, replace: () => void): void {
  renameSync(path.join(dir, name), path.join(dir, `${name}.away`));
  replace();
}
