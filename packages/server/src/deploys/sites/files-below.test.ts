import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { filesBelow } from './files-below.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pressroom-files-'));
});
afterEach(() => rm(directory, { recursive: true }));

const listed = async (most = 100) =>
  (await Array.fromAsync(filesBelow(directory, most))).map((path) => relative(directory, path)).toSorted();

test('lists regular files at every depth, and follows no links', async () => {
  await mkdir(join(directory, 'a/b'), { recursive: true });
  for (const path of ['1', 'a/2', 'a/b/3']) await writeFile(join(directory, path), '');
  await symlink(join(directory, '1'), join(directory, 'file-link'));
  await symlink(directory, join(directory, 'a/link'));
  expect(await listed()).toEqual(['1', 'a/2', 'a/b/3']);
});

test('looks at as many entries as allowed, directories included', async () => {
  for (let i = 0; i < 10; i++) await mkdir(join(directory, `${i}`));
  for (let i = 0; i < 10; i++) await writeFile(join(directory, `${i}`, 'file'), '');
  expect(await listed(20)).toHaveLength(10);
  expect(await listed(7)).toHaveLength(3);
  expect(await listed(0)).toEqual([]);
});

test('ends at a depth that no bundle has', async () => {
  const deep = join(directory, ...Array.from({ length: 70 }, () => 'd'));
  await mkdir(deep, { recursive: true });
  await writeFile(join(deep, 'deep'), '');
  await writeFile(join(directory, 'd', 'shallow'), '');
  expect(await listed()).toEqual(['d/shallow']);
});

test('leaves out a directory that disappears, and reports the one that was never there', async () => {
  await mkdir(join(directory, 'gone'));
  await mkdir(join(directory, 'other'));
  for (const path of ['gone/1', 'gone/2', 'other/1', 'other/2']) await writeFile(join(directory, path), '');
  const seen: string[] = [];
  for await (const path of filesBelow(directory, 100)) {
    seen.push(relative(directory, path));
    await rm(join(directory, path.includes('gone') ? 'other' : 'gone'), { recursive: true, force: true });
  }
  expect(seen).toHaveLength(2);
  await expect(Array.fromAsync(filesBelow(join(directory, 'none'), 100))).rejects.toThrow('ENOENT');
});
