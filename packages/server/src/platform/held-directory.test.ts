// Covers directories of one process: nobody takes one in use, and one that was left is found.
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { holdDirectory, holdLeft } from './held-directory.ts';

let above: string;
beforeEach(async () => void (above = await mkdtemp(join(tmpdir(), 'pressroom-held-'))));
afterEach(() => rm(above, { recursive: true }));

test('a directory is left once its process no longer holds it', async () => {
  const path = join(above, 'one');
  const held = holdDirectory(path);
  expect(await readdir(above)).toEqual(['one']);
  expect(holdLeft(path)).toBeNull();
  held[Symbol.dispose]();
  using left = holdLeft(path);
  expect(left).not.toBeNull();
  expect(holdLeft(path)).toBeNull();
});

test('a directory without a lock is nobody’s to remove', async () => {
  await mkdir(join(above, 'other'));
  expect(holdLeft(join(above, 'other'))).toBeNull();
  expect(await readdir(join(above, 'other'))).toEqual([]);
});
