// Covers which directories a server takes for its own.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeDataDirectory } from './make-data-directory.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pressroom-data-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

test('a directory with directories of something else is refused', () => {
  for (const name of ['work', 'etc']) mkdirSync(join(directory, name));
  writeFileSync(join(directory, 'notes.txt'), '');
  expect(() => makeDataDirectory(directory)).toThrow(
    `Server.DataDir: ${directory} has etc, which is not of a server`,
  );
});

test.each([
  ['that does not exist', [], []],
  ['with files only', [], ['pressroom.toml']],
  ['of a new disk', ['lost+found'], []],
  ['of a restored backup without a database', ['bundles', 'content'], []],
  ['of a server, with directories of others', ['content', 'drill'], ['lock']],
])('a directory %s is taken', (_what, directories, files) => {
  const dataDir = join(directory, 'data');
  for (const name of directories) mkdirSync(join(dataDir, name), { recursive: true });
  if (files.length > 0) mkdirSync(dataDir, { recursive: true });
  for (const name of files) writeFileSync(join(dataDir, name), '');
  expect(() => makeDataDirectory(dataDir)).not.toThrow();
});
