// Checks that both readers of archives, for Node.js and for browsers, give the same result.
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { buildManifest, collectFiles, packBundle, readArchive } from '@pressroom/api/publish';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readArchiveInBrowser } from './read-archive.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pressroom-archive-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function packed(): Promise<Buffer> {
  const deep = join(dir, ...Array.from({ length: 12 }, (_, index) => `a-folder-of-some-length-${index}`));
  await mkdir(deep, { recursive: true });
  await writeFile(join(dir, 'index.html'), '<p>');
  await writeFile(join(dir, 'empty.txt'), '');
  await writeFile(join(dir, 'straße.txt'), 'ü');
  await writeFile(join(dir, 'large.bin'), Buffer.alloc(1024 * 1024 + 1, 7));
  await writeFile(join(deep, 'far.txt'), 'far');
  const { files } = await collectFiles(dir);
  const content = {
    appmode: 'static',
    primary: 'index.html',
    entrypoint: '',
    contentCategory: '',
    hasParameters: false,
  };
  const { manifest } = await buildManifest({ root: dir, files, content });
  return buffer(packBundle({ root: dir, files, manifest }).stream);
}

test('reads the same in a browser as in Node.js: long and non-ASCII names, large files', async () => {
  const archive = await packed();
  const here = await readArchiveInBrowser(Readable.from([archive]));
  expect(here.size).toBe(5);
  expect(here).toEqual(await readArchive(Readable.from([archive])));
});

test('rejects a truncated archive', async () => {
  const archive = await packed();
  const half = archive.subarray(0, archive.length >> 1);
  await expect(readArchiveInBrowser(Readable.from([half]))).rejects.toThrow();
});

test.each([
  ['Node.js', readArchive],
  ['browsers', readArchiveInBrowser],
])('the reader for %s ends at too many files', async (_name, read) => {
  const archive = await packed();
  await expect(read(Readable.from([archive]), { maxFiles: 4 })).rejects.toThrow('more than 4 files');
});
