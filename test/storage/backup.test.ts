// Covers backup and restore, with the exact commands of docs/operate/backup.md.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig, startServer } from '@pressroom/server';
import { caller, createDatabase, publish, startTestServer, testLog } from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { makeWheel } from '../../packages/server/src/runtime/restore/testing.ts';
import { ASGI, asgi } from '../runtime/python-content.ts';

const isPostgres = process.env.PRESSROOM_TEST_ENGINE === 'postgres';

/** Returns the shell commands of a section in order: those for this engine and for both. */
async function commandsOf(section: string): Promise<string[]> {
  const page = await readFile(join(import.meta.dirname, '../../docs/operate/backup.md'), 'utf8');
  const [text] = page.split(`\n## ${section}\n`)[1]!.split('\n## ');
  const other = isPostgres ? 'Over SQLite' : 'Over PostgreSQL';
  return [...text!.matchAll(/([^\n]*)\n\n```sh\n([^]*?)```/g)].flatMap(([, above, commands]) =>
    above!.startsWith(other) ? [] : [commands!],
  );
}

test('a backup taken during deploys restores on another machine', async () => {
  const machine = await mkdtemp(join(tmpdir(), 'pressroom-backup-'));
  // After the server has stopped, which removes earlier files in the background.
  await using after = new AsyncDisposableStack();
  after.defer(() => rm(machine, { recursive: true, force: true }));
  const [backups, dataDir] = [join(machine, 'backups'), join(machine, 'data')];
  await makeWheel(machine, 'alpha', '1.0');
  const settings = { 'Python.FindLinks': join(machine, 'wheels') };
  const run = async (command: string, directory: string, url: string) => {
    const placed = command
      .replaceAll('/var/lib/pressroom', directory)
      .replaceAll('/var/backups/pressroom', backups);
    await promisify(execFile)('bash', ['-ec', placed], {
      env: { PATH: process.env.PATH, PRESSROOM_DATABASE_URL: url },
    });
  };

  const before = await startTestServer({ settings });
  const owner = await before.person('publisher');
  const page = await publish(owner, { 'index.html': 'first' });
  const deploy = (text: string) => publish(owner, { 'index.html': text }, { guid: page.guid });
  await deploy('second');
  const responses = 'import alpha; answer = [alpha.VERSION, os.environ["TOKEN"]]';
  const app = await publish(
    owner,
    { ...asgi({ '/': responses }), 'requirements.txt': 'alpha\n' },
    { metadata: ASGI },
  );
  const variables = { body: [{ name: 'TOKEN', value: 'sealed' }] };
  expect((await owner.call('PATCH', `/v1/content/${app.guid}/environment`, variables)).status).toBe(200);
  const source = before.running.services.config['Database.URL'];
  const [database, files] = await commandsOf('Back up');
  await run(database!, before.dataDir, source);
  // After two more deploys, the files of the bundle active at the time of the backup are gone.
  await deploy('third');
  await deploy('fourth');
  await run(files!, before.dataDir, source);
  const { guid, username, key } = owner;
  await before[Symbol.asyncDispose]();

  await using target = isPostgres
    ? await createDatabase()
    : { url: '', [Symbol.asyncDispose]: async () => {} };
  const commands = await commandsOf('Restore');
  expect(commands).toHaveLength(2);
  const restored = { 'Server.DataDir': dataDir, 'Database.URL': target.url, 'HTTP.Listen': '127.0.0.1:0' };
  for (const command of commands) {
    await run(command, dataDir, target.url);
    // A start before the last command fails: it neither removes the bundles as unused nor writes to the database.
    if (command !== commands.at(-1))
      await expect(
        startServer({ config: loadConfig({}, { ...settings, ...restored }), log: testLog() }),
      ).rejects.toThrow('there are bundles of another one');
  }
  await using server = await startServer({
    config: loadConfig({}, { ...settings, ...restored }),
    log: testLog(),
  });
  const call = caller(() => server.url, key);
  const anonymous = caller(() => server.url, null);

  const signIn = { body: { username, password: 'correct horse' } };
  expect((await anonymous('POST', '//__login__', signIn)).status).toBe(200);
  expect((await call('GET', '/v1/user')).body).toMatchObject({ guid, username });
  const shown = async () => String((await anonymous('GET', page.path)).bytes);
  await expect.poll(shown).toBe('second');
  expect((await anonymous('GET', app.path)).body).toEqual(['1.0', 'sealed']);
  const bundles = (await call('GET', `/v1/content/${page.guid}/bundles`)).body as { id: string }[];
  expect(bundles).toHaveLength(2);
  const again = { guid, username, key, call };
  const rollback = await call('POST', `/v1/content/${page.guid}/deploy`, {
    body: { bundle_id: bundles[0]!.id },
  });
  await expect
    .poll(async () => (await call('GET', `/v1/tasks/${rollback.body.task_id}`)).body)
    .toMatchObject({ finished: true, code: 0 });
  expect(await shown()).toBe('first');
  expect((await publish(again, { 'index.html': 'fifth' }, { guid: page.guid })).task.code).toBe(0);
  expect(await shown()).toBe('fifth');
});
