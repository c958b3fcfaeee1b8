// Backups that are refused, and keys that are not in them. About files: nothing here depends on the database.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publish, startTestServer } from '@pressroom/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runBackup } from './run-backup.ts';

let machine: string;
beforeEach(async () => {
  machine = await mkdtemp(join(tmpdir(), 'pressroom-backup-file-'));
});
afterEach(() => rm(machine, { recursive: true, force: true }));

const run = (command: 'backup' | 'restore', file: string, env: Record<string, string>) =>
  runBackup(command, file, { env, cwd: machine });

test('says that the key is not in the backup where it is a setting, and when it is another', async () => {
  const key = 'a key of letters, many enough to count: 0123456789';
  const before = await startTestServer({ settings: { 'Secrets.Key': key } });
  await before.person('publisher');
  const source = { PRESSROOM_SERVER_DATADIR: before.dataDir, PRESSROOM_SECRETS_KEY: key };
  expect((await run('backup', 'all.tar', source)).said).toContain('NOT the key');
  await before[Symbol.asyncDispose]();
  const into = (name: string, more = {}) =>
    run('restore', 'all.tar', { PRESSROOM_SERVER_DATADIR: join(machine, name), ...more });
  expect(await into('a')).toMatchObject({ code: 1, said: expect.stringContaining('Set Secrets.Key') });
  expect(await into('b', { PRESSROOM_SECRETS_KEY: `${key}, but not this one` })).toMatchObject({
    code: 1,
    said: expect.stringContaining('is another key'),
  });
  expect(await into('c', { PRESSROOM_SECRETS_KEY: key })).toMatchObject({ code: 0 });
});

test('a file that is no backup, or was cut off, leaves the data directory as it was', async () => {
  const before = await startTestServer();
  const owner = await before.person('publisher');
  await publish(owner, { 'index.html': 'first' });
  expect((await run('backup', 'all.tar', { PRESSROOM_SERVER_DATADIR: before.dataDir })).code).toBe(0);
  await before[Symbol.asyncDispose]();
  const settings = { PRESSROOM_SERVER_DATADIR: join(machine, 'data') };
  await writeFile(join(machine, 'text.tar'), 'no archive');
  expect(await run('restore', 'text.tar', settings)).toMatchObject({
    code: 1,
    said: expect.stringContaining('is no backup of Pressroom'),
  });
  await mkdir(join(machine, 'other'));
  await writeFile(join(machine, 'other/passwd'), 'x');
  await promisify(execFile)('tar', ['-cf', join(machine, 'other.tar'), '-C', machine, 'other/passwd']);
  expect((await run('restore', 'other.tar', settings)).said).toContain('it has other/passwd');
  const file = join(machine, 'all.tar');
  await truncate(file, Math.floor((await stat(file)).size / 2 / 512) * 512);
  expect(await run('restore', 'all.tar', settings)).toMatchObject({
    code: 1,
    said: expect.stringMatching(/is not whole|is damaged/),
  });
  expect(await readdir(machine)).not.toContain('data');
  expect(await run('restore', 'absent.tar', settings)).toMatchObject({ code: 1 });
});
