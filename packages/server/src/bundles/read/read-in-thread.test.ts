// Covers reading an untrusted directory in a thread.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readInThread } from './read-in-thread.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'pressroom-read-'));
});
afterEach(() => rm(root, { recursive: true }));
const versions = { r: undefined, python: '' };

test('returns the manifest and the files, or the reason why there is no content', async () => {
  await writeFile(join(root, 'notes.txt'), '');
  const failing = readInThread({ root, versions, unknown: 'no manifest: ' });
  const message = expect.stringMatching(/^no manifest: The type of this content is unknown\. /);
  await expect(failing).rejects.toMatchObject({ code: 38, message });
  await writeFile(join(root, 'index.html'), '');
  const { files, built } = await readInThread({ root, versions });
  expect(files.map(({ path }) => path)).toEqual(['index.html', 'notes.txt']);
  expect(built?.manifest.metadata.appmode).toBe('static');
});

test('hostile patterns of files to leave out end with a reason', async () => {
  const deep = join(root, 'x', ...Array<string>(100).fill('a'));
  await mkdir(deep, { recursive: true });
  await writeFile(join(deep, 'c'), '');
  await writeFile(join(root, '.pressroomignore'), `x/${'**/a/'.repeat(12)}b\n`);
  const reading = readInThread({ root, versions }, { limitMs: 500 });
  await expect(reading).rejects.toMatchObject({ code: 38, message: 'the files take too long to read' });
});
