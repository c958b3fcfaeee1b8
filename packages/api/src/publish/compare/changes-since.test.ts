import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { collectFiles } from '../collect/collect-files.ts';
import { hashFiles } from '../collect/hash-files.ts';
import { changesSince, type KnownFile, type SeenFiles } from './changes-since.ts';

const dirs: string[] = [];
afterEach(async () => {
  for (const dir of dirs.splice(0)) await rm(dir, { recursive: true });
});

/** Creates a directory with these files and the checksums that were published. */
async function setup(files: Record<string, string>) {
  const dir = await mkdtemp(path.join(tmpdir(), 'pressroom-since-'));
  dirs.push(dir);
  let second = 0;
  // Sets a distinct modification time: the file system's clock may be too coarse to tell two writes apart.
  const write = async (name: string, text: string) => {
    await writeFile(path.join(dir, name), text);
    await utimes(path.join(dir, name), (second += 1), second);
  };
  for (const [name, text] of Object.entries(files)) await write(name, text);
  const published = (await collectFiles(dir)).files;
  const sums = await hashFiles(dir, published);
  const known = new Map(
    published.map(({ path: name, size, stamp }): [string, KnownFile] => [
      name,
      { md5: sums.get(name)!, size, ...(stamp !== undefined && { stamp }) },
    ]),
  );
  const seen: SeenFiles = new Map();
  const changes = async () =>
    Object.fromEntries(await changesSince(dir, (await collectFiles(dir)).files, known, seen));
  return { dir, write, known, seen, changes };
}

test('ignores a file with only a new time, and reports changed and new content', async () => {
  const { dir, write, changes } = await setup({ 'a.txt': 'one', 'b.txt': 'two', 'c.txt': 'three' });
  expect(await changes()).toEqual({});
  // Only the time changes, as after a checkout of another branch and back.
  await utimes(path.join(dir, 'a.txt'), new Date(0), new Date(0));
  await write('b.txt', 'owt');
  await write('c.txt', 'longer than before');
  await write('d.txt', 'new');
  expect(await changes()).toEqual({ 'b.txt': 'changed', 'c.txt': 'changed', 'd.txt': 'new' });
  await write('b.txt', 'two');
  expect(await changes()).toEqual({ 'c.txt': 'changed', 'd.txt': 'new' });
});

test('reads a file once for each modification, and never an untouched one', async () => {
  const { write, known, seen, changes } = await setup({ 'a.txt': 'one', 'b.txt': 'two' });
  await changes();
  expect([...seen.keys()]).toEqual([]);
  await write('a.txt', 'eno');
  await changes();
  expect([...seen.keys()]).toEqual(['a.txt']);
  // The known checksum is used without reading, because size and time are those of the last scan.
  seen.set('a.txt', { ...seen.get('a.txt')!, md5: known.get('a.txt')!.md5 });
  expect(await changes()).toEqual({});
});

test('reads the files when a downloaded bundle has no stamps', async () => {
  const { known, changes } = await setup({ 'a.txt': 'one', 'b.txt': 'two' });
  for (const [name, { md5, size }] of known) known.set(name, { md5, size });
  known.set('b.txt', { md5: '0'.repeat(32), size: 3 });
  expect(await changes()).toEqual({ 'b.txt': 'changed' });
});
