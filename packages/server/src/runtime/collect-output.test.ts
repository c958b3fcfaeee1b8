// Covers output copied from a directory that hostile code wrote to.
import { execFileSync } from 'node:child_process';
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  statfs,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { collectOutput } from './collect-output.ts';

let work: string;
let from: string;
let to: string;
beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'pressroom-output-'));
  from = join(work, 'from');
  to = join(work, 'to');
  await mkdir(join(from, 'sub'), { recursive: true });
  await writeFile(join(from, 'index.html'), 'page');
  await writeFile(join(from, 'sub/data.bin'), Buffer.alloc(3 * 2 ** 20, 7));
});
afterEach(() => rm(work, { recursive: true }));

describe('collectOutput', () => {
  test('copies the bytes to new files without hard links or special modes', async () => {
    await chmod(join(from, 'index.html'), 0o4777);
    await link(join(from, 'index.html'), join(from, 'again.html'));
    expect(await collectOutput(from, to)).toEqual({ files: 3, bytes: 3 * 2 ** 20 + 8 });
    expect(await readFile(join(to, 'sub/data.bin'))).toEqual(await readFile(join(from, 'sub/data.bin')));
    const [page, data] = await Promise.all(
      ['index.html', 'sub/data.bin'].map((path) => stat(join(to, path))),
    );
    expect([page!.mode & 0o7777, page!.nlink, data!.mode & 0o7777]).toEqual([0o755, 1, 0o644]);
  });

  test('skips files whose names are not UTF-8', async () => {
    // Some archives unpack such names, here in Latin-1.
    await writeFile(
      Buffer.concat([Buffer.from(`${from}/Gr`), Buffer.from([0xfc]), Buffer.from('sse.csv')]),
      'x',
    );
    const told: string[] = [];
    expect((await collectOutput(from, to, { print: (line) => told.push(line) })).files).toBe(2);
    expect(told).toEqual(['"Gr\ufffdsse.csv" is left out: it has a name that is no UTF-8 text']);
  });

  test('skips links, pipes and sockets, and prints each of them', async () => {
    await writeFile(join(work, 'secret'), 'secret');
    await symlink(join(work, 'secret'), join(from, 'file'));
    await symlink(work, join(from, 'directory'));
    await symlink('index.html', join(from, 'sub/inside'));
    execFileSync('mkfifo', [join(from, 'pipe')]);
    const told: string[] = [];
    await collectOutput(from, to, { print: (line) => told.push(line) });
    expect((await readdir(to, { recursive: true })).toSorted()).toEqual([
      'index.html',
      'sub',
      'sub/data.bin',
    ]);
    expect(told.toSorted()).toEqual([
      '"directory" is left out: it is a symbolic link',
      '"file" is left out: it is a symbolic link',
      '"pipe" is left out: it is not a regular file',
      '"sub/inside" is left out: it is a symbolic link',
    ]);
  });

  test('rejects a directory that is itself a link', async () => {
    await symlink(from, join(work, 'link'));
    await expect(collectOutput(join(work, 'link'), to)).rejects.toThrow();
  });

  test.each([
    [{ files: 1, bytes: 2 ** 30 }, 'more than 1 files'],
    [{ files: 10, bytes: 2 ** 20 }, 'more than 1048576 bytes'],
  ])('rejects output beyond its limits: %j', async (limits, words) => {
    await expect(collectOutput(from, to, { limits })).rejects.toMatchObject({
      code: 1,
      message: `there is too much output: ${words}`,
    });
  });

  test('limits empty directories like files', async () => {
    for (let i = 0; i < 100; i += 1) await mkdir(join(from, String(i)));
    const limits = { files: 50, bytes: 2 ** 30 };
    await expect(collectOutput(from, to, { limits })).rejects.toMatchObject({
      code: 1,
      message: 'there is too much output: more than 50 directories',
    });
    for (const name of ['sub', 'index.html']) await rm(join(from, name), { recursive: true });
    const { blocks, bsize } = await statfs(work);
    const reserve = blocks * bsize;
    await expect(collectOutput(from, join(work, 'second'), { reserve })).rejects.toMatchObject({
      message: expect.stringContaining('of the disk would stay free'),
    });
  });

  test('keeps the disk reserve free, also with sparse files', async () => {
    const { bavail, bsize } = await statfs(work);
    await truncate(join(from, 'sub/data.bin'), 2 ** 30);
    const reserve = bavail * bsize - 2 ** 29;
    await expect(collectOutput(from, to, { reserve })).rejects.toMatchObject({
      code: 1,
      message: `there is too much output: less than ${reserve} bytes of the disk would stay free`,
    });
    await truncate(join(from, 'sub/data.bin'), 2 ** 20);
    expect((await collectOutput(from, join(work, 'second'), { reserve })).files).toBe(2);
  });

  test('rejects directories nested too deeply', async () => {
    await mkdir(join(from, 'd/'.repeat(70)), { recursive: true });
    await expect(collectOutput(from, to)).rejects.toMatchObject({ code: 1 });
  });

  test('stops when it is cancelled', async () => {
    const signal = AbortSignal.abort(new Error('cancelled'));
    await expect(collectOutput(from, to, { signal })).rejects.toThrow('cancelled');
  });
});
