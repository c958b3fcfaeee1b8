// Covers what a killed server leaves on the machine: where root started it, its next start removes that, over
// either database, also while others use the data directory.
import { randomBytes } from 'node:crypto';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, firstAdministrator, publish, startServerProcess } from '@pressroom/testkit';
import { startCluster } from '@pressroom/testkit/postgres-setup';
import { expect, test } from 'vitest';
import { ASGI, asgi } from '../runtime/python-content.ts';

test.each(['SQLite', 'PostgreSQL'])(
  'a server over %s removes what it left when it was killed',
  async (database) => {
    await using stack = new AsyncDisposableStack();
    const directory = mkdtempSync(join(tmpdir(), 'pressroom-left-'));
    stack.defer(() => rmSync(directory, { recursive: true }));
    chmodSync(directory, 0o755);
    const [data, temporary] = [join(directory, 'data'), join(directory, 't')];
    mkdirSync(data);
    mkdirSync(temporary);
    const settings: Record<string, string> = { TMPDIR: temporary };
    if (database === 'PostgreSQL') {
      stack.defer(await startCluster(['fsync=off']));
      settings.PRESSROOM_DATABASE_URL = stack.use(await createDatabase()).url;
      settings.PRESSROOM_SECRETS_KEY = randomBytes(32).toString('base64');
    }
    /** Directories of processes. */
    const starts = () => readdirSync(temporary).flatMap((above) => readdirSync(join(temporary, above)));
    const server = stack.use(await startServerProcess(data, settings));
    const owner = await firstAdministrator(() => server.url);
    const { task, path } = await publish(owner, asgi({ '/': 'answer = 1' }), { metadata: ASGI });
    expect(task).toMatchObject({ code: 0 });
    expect((await owner.call('GET', path)).status).toBe(200);
    const [first] = starts();
    const processes = globSync(`*/${first}/*`, { cwd: temporary }).map((found) => found.split('/').at(-1));
    const groups = () => processes.flatMap((id) => globSync(`/sys/fs/cgroup/{,*/}pressroom-*-${id}`));

    await server.stop('SIGKILL');
    expect(starts()).toEqual([first]);
    const next = stack.use(await startServerProcess(data, settings));
    expect(groups()).toEqual([]);
    expect(starts()).toHaveLength(1);
    expect(starts()).not.toContain(first);
    await next.stop('SIGTERM');
    expect(starts()).toEqual([]);
  },
);

test('what a killed server left is removed while another one runs, whose files stay', async () => {
  await using stack = new AsyncDisposableStack();
  const directory = mkdtempSync(join(tmpdir(), 'pressroom-left-'));
  stack.defer(() => rmSync(directory, { recursive: true }));
  chmodSync(directory, 0o755);
  const [data, temporary] = [join(directory, 'data'), join(directory, 't')];
  mkdirSync(data);
  mkdirSync(temporary);
  stack.defer(await startCluster(['fsync=off']));
  const settings = {
    TMPDIR: temporary,
    PRESSROOM_DATABASE_URL: stack.use(await createDatabase()).url,
    PRESSROOM_SECRETS_KEY: randomBytes(32).toString('base64'),
  };
  const start = async () => stack.use(await startServerProcess(data, settings));
  /** Directories of servers: of their processes, and of their work. */
  const starts = () => globSync('*/*', { cwd: temporary });
  const works = () => readdirSync(join(data, 'work')).filter((name) => name.startsWith('server-'));
  const killed = await start();
  const [[first], [work]] = [starts(), works()];
  await start();
  const [[second], [stays]] = [
    starts().filter((one) => one !== first),
    works().filter((one) => one !== work),
  ];

  await killed.stop('SIGKILL');
  await start();
  await expect.poll(works).not.toContain(work);
  expect(works()).toContain(stays);
  expect(starts()).not.toContain(first);
  expect(starts()).toContain(second);
});
