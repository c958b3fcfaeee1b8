// Covers `npm run backup` during deploys, and `npm run restore` on another machine.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig, startServer } from '@pressroom/server';
import { caller, createDatabase, publish, startTestServer, testLog } from '@pressroom/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runBackup } from './run-backup.ts';

const isPostgres = process.env.PRESSROOM_TEST_ENGINE === 'postgres';

let machine: string;
beforeEach(async () => {
  machine = await mkdtemp(join(tmpdir(), 'pressroom-backup-command-'));
});
afterEach(() => rm(machine, { recursive: true, force: true }));

const run = (command: 'backup' | 'restore', file: string, env: Record<string, string>) =>
  runBackup(command, file, { env, cwd: machine });

test('a backup taken during deploys restores on another machine from one file', async () => {
  const before = await startTestServer();
  const owner = await before.person('publisher');
  const page = await publish(owner, { 'index.html': 'first' });
  await publish(owner, { 'index.html': 'second' }, { guid: page.guid });
  const variables = { body: [{ name: 'TOKEN', value: 'sealed' }] };
  await owner.call('PATCH', `/v1/content/${page.guid}/environment`, variables);
  const url = before.running.services.config['Database.URL'];
  const source = {
    PRESSROOM_SERVER_DATADIR: before.dataDir,
    ...(isPostgres && { PRESSROOM_DATABASE_URL: url }),
  };
  const file = join(machine, 'all.tar');
  const dump = join(machine, 'all.dump');
  if (isPostgres) await promisify(execFile)('pg_dump', ['--format=custom', `--file=${dump}`, url]);
  // Deploys continue during the backup.
  let isBackedUp = false;
  const others = (async () => {
    for (let i = 0; !isBackedUp; i++) await publish(owner, { 'index.html': `other ${i}` });
  })();
  const made = await run('backup', 'all.tar', source);
  isBackedUp = true;
  await others;
  expect(made.code).toBe(0);
  expect(made.said).toContain('secret.key, which decrypts the variables');
  expect(made.said).toContain(isPostgres ? 'NOT the database' : 'the database: users');
  if (isPostgres) expect(made.said).toContain('pg_dump');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await readdir(machine)).filter((name) => name.startsWith('all.tar'))).toEqual(['all.tar']);
  expect(await run('backup', 'all.tar', source)).toMatchObject({
    code: 1,
    said: expect.stringContaining('exists'),
  });
  const { username, key } = owner;
  await before[Symbol.asyncDispose]();

  await using target = isPostgres
    ? await createDatabase()
    : { url: '', [Symbol.asyncDispose]: async () => {} };
  const dataDir = join(machine, 'data');
  const settings = {
    PRESSROOM_SERVER_DATADIR: dataDir,
    ...(isPostgres && { PRESSROOM_DATABASE_URL: target.url }),
  };
  const restored = await run('restore', 'all.tar', settings);
  expect(restored).toMatchObject({ code: 0, said: expect.stringContaining('The key fits') });
  const secrets = isPostgres ? ['secret.key'] : ['secret.key', 'pressroom.sqlite'];
  for (const name of secrets) expect((await stat(join(dataDir, name))).mode & 0o777).toBe(0o600);
  if (isPostgres)
    await promisify(execFile)('pg_restore', [
      '--no-owner',
      '--exit-on-error',
      `--dbname=${target.url}`,
      dump,
    ]);
  const config = { 'Server.DataDir': dataDir, 'Database.URL': target.url, 'HTTP.Listen': '127.0.0.1:0' };
  await using server = await startServer({ config: loadConfig({}, config), log: testLog() });
  const call = caller(() => server.url, key);
  const anonymous = caller(() => server.url, null);
  expect((await call('GET', '/v1/user')).body).toMatchObject({ username });
  expect(String((await anonymous('GET', page.path)).bytes)).toBe('second');
  expect((await call('GET', `/v1/content/${page.guid}/environment`)).body).toEqual(['TOKEN']);
  const bundles = (await call('GET', `/v1/content/${page.guid}/bundles`)).body as { id: string }[];
  expect(bundles).toHaveLength(2);
  const { task_id } = (
    await call('POST', `/v1/content/${page.guid}/deploy`, { body: { bundle_id: bundles[0]!.id } })
  ).body;
  await expect
    .poll(async () => (await call('GET', `/v1/tasks/${task_id}`)).body)
    .toMatchObject({ finished: true, code: 0 });
  // A data directory that is or was in use is not changed.
  expect(await run('restore', 'all.tar', settings)).toMatchObject({
    code: 1,
    said: expect.stringMatching(/is not empty: stop the server/),
  });
  expect(String((await anonymous('GET', page.path)).bytes)).toBe('first');
});
