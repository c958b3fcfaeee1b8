// Covers installed R packages with a hostile DESCRIPTION, which must not block the server.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readInstalled } from './r-library.ts';

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pressroom-library-'));
  file = join(directory, 'DESCRIPTION');
});
afterEach(() => rm(directory, { recursive: true }));

it('reads a description, and ignores a pipe in its place without waiting', async () => {
  await writeFile(file, 'Package: good\nVersion: 1.0\n');
  expect(await readInstalled(directory)).toMatchObject({ name: 'good', version: '1.0' });
  await rm(file);
  execFileSync('mkfifo', [file]);
  // Opening a pipe for writing blocks until somebody reads it.
  const write = 'printf "Package: evil\\nVersion: 1.0\\n" > "$1"';
  const writer = spawn('sh', ['-c', write, 'sh', file], { stdio: 'ignore' });
  const found = await readInstalled(directory);
  writer.kill('SIGKILL');
  expect(found).toBeNull();
});
