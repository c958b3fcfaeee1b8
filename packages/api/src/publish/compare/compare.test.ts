import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { packBundle } from '../archive/pack-bundle.ts';
import { readArchive } from '../archive/read-archive.ts';
import { collectFiles } from '../collect/collect-files.ts';
import { detectContent } from '../detect/detect-content.ts';
import { buildManifest } from '../manifest/build-manifest.ts';
import { compareWithBundle } from './compare.ts';

const dirs: string[] = [];
afterEach(async () => {
  for (const dir of dirs.splice(0)) await rm(dir, { recursive: true });
});

async function published(files: Record<string, string>) {
  const dir = await mkdtemp(path.join(tmpdir(), 'pressroom-compare-'));
  dirs.push(dir);
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(dir, name), text);
  const listed = (await collectFiles(dir)).files;
  const [content] = await detectContent(dir, listed);
  const { manifest, files: packed } = await buildManifest({
    root: dir,
    files: listed,
    ...(content && { content }),
  });
  const archive = packBundle({ root: dir, files: packed, manifest }).stream;
  return { dir, archive };
}

const filesOf = async (dir: string) => (await collectFiles(dir)).files;

test('compareWithBundle lists files removed, changed and added since the bundle', async () => {
  const { dir, archive } = await published({ 'index.html': 'one', 'same.css': 'x', 'gone.txt': 'bye' });
  const bundle = await readArchive(archive);
  expect(bundle.get('gone.txt')?.bytes?.toString()).toBe('bye');
  expect(await compareWithBundle(dir, await filesOf(dir), bundle)).toEqual([]);
  await writeFile(path.join(dir, 'index.html'), 'two');
  await writeFile(path.join(dir, 'new.js'), 'n');
  await rm(path.join(dir, 'gone.txt'));
  expect(await compareWithBundle(dir, await filesOf(dir), bundle)).toEqual([
    { path: 'gone.txt', kind: 'removed' },
    { path: 'index.html', kind: 'changed' },
    { path: 'new.js', kind: 'added' },
  ]);
});

test('compareWithBundle compares a large file without keeping it', async () => {
  const { dir, archive } = await published({ 'index.html': 'i', 'big.bin': 'b'.repeat(2 * 1024 * 1024) });
  const bundle = await readArchive(archive);
  expect(bundle.get('big.bin')).toMatchObject({ size: 2 * 1024 * 1024, bytes: null });
  expect(await compareWithBundle(dir, await filesOf(dir), bundle)).toEqual([]);
});

test('readArchive rejects a damaged archive', async () => {
  await expect(
    readArchive(Readable.from([Buffer.from('no archive at all, and long enough to look at')])),
  ).rejects.toThrow();
});
