// Covers reading of small files: complete and in order, from fast and slow disks.
import { unlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { collectFiles } from './collect-files.ts';
import { createSmallFileReader, isSmall } from './small-files.ts';
import { createTree, openBelow, type TemporaryTree } from './testing.ts';

function manyFiles(): TemporaryTree {
  const tree = createTree();
  for (let index = 0; index < 400; index += 1) tree.write(`f${index}`, `content of ${index}`);
  tree.write('f1-big', Buffer.alloc(70_000));
  return tree;
}

/** Returns a clock that advances by `step` milliseconds at each reading. */
function clock(step: number): () => number {
  let time = 0;
  return () => (time += step);
}

test.each([
  ['fast', 0.001],
  ['slow', 50],
])('returns the content of each file from a %s disk', async (_what, step) => {
  using tree = manyFiles();
  const { files } = await collectFiles(tree.dir);
  const reader = createSmallFileReader(tree.dir, files, clock(step));
  for (const [index, file] of files.entries()) {
    if (!isSmall(file)) continue;
    expect((await reader.read(index)).toString()).toBe(`content of ${file.path.slice(1)}`);
  }
  await reader.close();
  expect(openBelow(tree.dir)).toEqual([]);
});

test('reports a failure of a file read ahead in its turn, and close waits for the others', async () => {
  using tree = manyFiles();
  const files = (await collectFiles(tree.dir)).files.filter(isSmall);
  const reader = createSmallFileReader(tree.dir, files, clock(50));
  unlinkSync(path.join(tree.dir, files[5]?.path ?? ''));
  for (let index = 0; index < 5; index += 1) await reader.read(index);
  await expect(reader.read(5)).rejects.toMatchObject({ code: 'file-missing' });
  await reader.close();
  expect(openBelow(tree.dir)).toEqual([]);
});
