import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { create } from 'tar';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSource } from './r-install.ts';

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pressroom-r-install-'));
  file = join(directory, 'foo_1.0.tar.gz');
  await mkdir(join(directory, 'foo'));
  await writeFile(join(directory, 'foo', 'DESCRIPTION'), 'Package: foo\nVersion: 1.0\nImports: bar\n');
});
afterEach(() => rm(directory, { recursive: true }));

const pack = (...names: string[]) => create({ file, cwd: directory, gzip: { level: 1 } }, names);
const read = (name = 'foo') => readSource(file, name, new AbortController().signal);

test('reads the dependencies of a source package wherever they are in the archive', async () => {
  await writeFile(join(directory, 'foo', 'first'), 'x'.repeat(1_000_000));
  for (const names of [['foo'], ['foo/first', 'foo/DESCRIPTION'], ['foo/DESCRIPTION', 'foo/first']]) {
    await pack(...names);
    expect(await read()).toMatchObject({ name: 'foo', version: '1.0', needs: ['bar'] });
  }
});

test('reading a package that unpacks to much data does not block the event loop', async () => {
  await writeFile(join(directory, 'foo', 'large'), '');
  await truncate(join(directory, 'foo', 'large'), 300 * 2 ** 20);
  await pack('foo/large', 'foo/DESCRIPTION');
  let turns = 0;
  const others = setInterval(() => (turns += 1), 5);
  expect(await read()).toMatchObject({ name: 'foo' });
  clearInterval(others);
  expect(turns).toBeGreaterThan(5);
});

test('rejects a package that is compressed twice, without unpacking it', async () => {
  await writeFile(file, gzipSync(gzipSync(Buffer.alloc(2 ** 21))));
  await expect(read()).rejects.toMatchObject({ code: 1, cause: { name: 'CompressedAgainError' } });
});

test('rejects an archive that is not the named package', async () => {
  await pack('foo');
  await expect(read('bar')).rejects.toMatchObject({ code: 1 });
  await writeFile(file, 'no archive');
  await expect(read()).rejects.toMatchObject({ code: 1 });
});
