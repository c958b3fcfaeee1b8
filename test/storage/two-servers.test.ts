// Covers two servers with one data directory: simultaneously on PostgreSQL, one at a time on SQLite.
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startServer } from '@pressroom/server';
import {
  finishedTask,
  makeArchive,
  makeQuickRenderer,
  publish,
  QUICK_DOCUMENT,
  quickDocument,
  startTestDatabase,
  startTestServer,
  testLog,
  type TestServer,
} from '@pressroom/testkit';
import { sql } from 'kysely';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { verifyAudit } from '../../packages/server/src/audit/chain.ts';
import { openStorage, type Executor } from '../../packages/server/src/platform/database/storage.ts';
import { createSchedules } from '../../packages/server/src/schedules/schedules.ts';
import { ASGI, asgi } from '../runtime/python-content.ts';
import { startRelay } from './relay.ts';

const TAKEN_OVER = 'The server that ran this task is gone. Another one starts it again.';
const PLAIN = asgi({ '/': 'answer = 1' });
/** Starts once the file `go` exists. */
const SLOW = asgi({ '/': 'answer = 2' }, 'while not os.path.exists("go"): time.sleep(0.02)');

const startBeside = ({ running }: TestServer) =>
  startServer({ config: running.services.config, log: testLog() });

if (process.env.PRESSROOM_TEST_ENGINE === 'postgres') {
  test('starting and stopping a second server does not affect deploys, uploads or sessions', async () => {
    await using server = await startTestServer();
    const owner = await server.person('publisher');
    const open = await publish(owner, PLAIN, { metadata: ASGI });
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/content/${open.guid}/`);
    await once(socket, 'open');
    const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'slow' } })).body;
    const upload = (raw: Buffer) => owner.call('POST', `/v1/content/${guid}/bundles`, { raw });
    await upload(makeArchive(SLOW, ASGI));
    const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`)).body;
    const isLaunched = async () =>
      (await owner.call('GET', `/v1/tasks/${task_id}`)).body.output.some((line: string) =>
        /Launching/.test(line),
      );
    await expect.poll(isLaunched).toBe(true);
    const halfOfUpload = Promise.withResolvers<void>();
    const archive = makeArchive(PLAIN, ASGI);
    const slowly = new ReadableStream({
      async start(controller) {
        controller.enqueue(archive.subarray(0, 100));
        await halfOfUpload.promise;
        controller.enqueue(archive.subarray(100));
        controller.close();
      },
    });
    const uploading = owner.call('POST', `/v1/content/${open.guid}/bundles`, { raw: slowly });
    const bundles = () => readdir(join(server.dataDir, 'bundles'));
    await expect.poll(async () => (await bundles()).some((name) => name.endsWith('.upload'))).toBe(true);

    const second = await startBeside(server);
    await second[Symbol.asyncDispose]();

    halfOfUpload.resolve();
    expect((await uploading).status).toBe(200);
    const [site] = await readdir(join(server.dataDir, 'content', guid));
    await writeFile(join(server.dataDir, 'content', guid, site!, 'go'), '');
    expect(await finishedTask(owner, task_id)).toMatchObject({ code: 0 });
    socket.send('still here');
    expect(String((await once(socket, 'message'))[0])).toBe('still here');
    socket.terminate();
  });

  test('the other server reads, waits for and cancels a running task', async () => {
    await using server = await startTestServer();
    const owner = await server.person('publisher');
    const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'slow' } })).body;
    await owner.call('POST', `/v1/content/${guid}/bundles`, { raw: makeArchive(SLOW, ASGI) });
    const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`)).body;
    await using second = await startBeside(server);
    const elsewhere = (method: string, path: string) =>
      fetch(`${second.url}/__api__/v1/tasks/${path}`, {
        method,
        headers: { Authorization: `Key ${owner.key}` },
      });
    const output = async () =>
      ((await (await elsewhere('GET', task_id)).json()) as { output: string[] }).output;
    await expect.poll(output).toContain('Launching Python API...');
    expect((await elsewhere('POST', `${task_id}/cancel`)).ok).toBe(true);
    expect(await (await elsewhere('GET', `${task_id}?wait=20`)).json()).toMatchObject({
      finished: true,
      code: 1,
    });
    expect(await finishedTask(owner, task_id)).toMatchObject({ code: 1 });
  });

  test('the other server lists a rendering as a job, follows its log and cancels it', async () => {
    await using renderer = await makeQuickRenderer();
    await using server = await startTestServer({ settings: renderer.settings });
    const owner = await server.person('publisher');
    const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'report' } })).body;
    const report = quickDocument('import time\nlog("begun")\ntime.sleep(100_000)');
    await owner.call('POST', `/v1/content/${guid}/bundles`, { raw: makeArchive(report, QUICK_DOCUMENT) });
    const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`)).body;
    await using second = await startBeside(server);
    const elsewhere = async (path: string, method = 'GET') => {
      const headers = { Authorization: `Key ${owner.key}` };
      const response = await fetch(`${second.url}/__api__/v1/content/${guid}/jobs${path}`, {
        method,
        headers,
      });
      return response.json() as Promise<Record<string, unknown>>;
    };
    expect(await elsewhere('')).toMatchObject([{ key: task_id, status: 0 }]);
    const lines: string[] = [];
    for (let first = 0; !lines.includes('begun');) {
      const log = (await elsewhere(`/${task_id}/log?wait=20&first=${first}`)) as {
        entries: { data: string }[];
        last: number;
      };
      lines.push(...log.entries.map(({ data }) => data));
      first = log.last;
    }
    expect(await elsewhere(`/${task_id}`, 'DELETE')).toMatchObject({ job_key: task_id });
    expect(await finishedTask(owner, task_id)).toMatchObject({ end_reason: 'cancelled' });
    expect(await elsewhere(`/${task_id}`)).toMatchObject({ status: 2, exit_code: null });
  });

  /** Starts a server that can lose its database connection, and one that cannot. */
  async function startRelayed(log = testLog()) {
    await using stack = new AsyncDisposableStack();
    const server = stack.use(await startTestServer());
    const { config } = server.running.services;
    const relay = stack.use(await startRelay(config['Database.URL']));
    const second = stack.use(await startServer({ config: { ...config, 'Database.URL': relay.url }, log }));
    const opened = stack.move();
    const ask = (key: string, method = 'GET', path = '/v1/user', body?: unknown) =>
      fetch(`${second.url}/__api__${path}`, {
        method,
        headers: { Authorization: `Key ${key}`, 'Content-Type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    const health = async () => (await fetch(`${second.url}/__health__/ready`)).status;
    return {
      server,
      relay,
      ask,
      health,
      url: second.url,
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  }

  test('a task of a lost server whose clock was ahead is taken over once the server counts as lost', async () => {
    await using server = await startTestServer();
    const owner = await server.person('publisher');
    const { guid, task } = await publish(owner, { 'index.html': 'here' });
    const { db } = server.running.services.storage;
    const node = 'lost';
    await db.insertInto('server_life').values({ node, beat: 1, name: node }).execute();
    const lease_until = Date.now() * 1000 + 5 * 60_000_000;
    const lost = { node, lease_until, begun: 1, finished: 0 } as const;
    await db.updateTable('task').set(lost).where('id', '=', task.id).execute();
    const output = async () => (await owner.call('GET', `/v1/tasks/${task.id}`)).body.output;
    // Half a minute: not worth asking every 50 ms.
    await expect.poll(output, { timeout: 60_000, interval: 500 }).toContain(TAKEN_OVER);
    expect(await finishedTask(owner, task.id)).toMatchObject({ code: 0 });
    expect((await owner.call('GET', `//content/${guid}/`)).bytes.toString()).toBe('here');
  });

  test('a connection lost between two statements fails only its transaction', async () => {
    await using server = await startTestServer();
    await using relay = await startRelay(server.running.services.config['Database.URL']);
    await using storage = await openStorage(relay.url);
    const count = (tx: Executor) => tx.selectFrom('content').select('guid').execute();
    const lost = storage.write(async (tx) => {
      await count(tx);
      relay.refuse(true);
      // A refused reconnect of the event stream shows that all connections were lost.
      await relay.refused();
      relay.refuse(false);
      await count(tx);
    });
    await expect(lost).rejects.toMatchObject({ status: 503 });
    expect(await storage.write(count)).toEqual([]);
  });

  test('a connection lost before the first response is retried without leaking it', async () => {
    await using server = await startTestServer();
    await using relay = await startRelay(server.running.services.config['Database.URL']);
    await using storage = await openStorage(relay.url);
    const count = (tx: Executor) => tx.selectFrom('content').select('guid').execute();
    relay.mute(true);
    const asked = storage.write(count, 'content:a');
    const isSent = sql<{ n: number }>`select count(*) as n from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction'`;
    const { db } = server.running.services.storage;
    await expect.poll(async () => (await isSent.execute(db)).rows[0]?.n).toBe(1);
    relay.refuse(true);
    relay.mute(false);
    await relay.refused();
    relay.refuse(false);
    expect(await asked).toEqual([]);
    const { open, idle } = storage.connections()!;
    expect(idle).toBe(open);
  });

  test('a database that stops responding fails a transaction in seconds', async () => {
    await using server = await startTestServer();
    await using relay = await startRelay(server.running.services.config['Database.URL']);
    await using storage = await openStorage(relay.url);
    const count = (tx: Executor) => tx.selectFrom('content').select('guid').execute();
    expect(await storage.write(count)).toEqual([]);
    relay.mute(true);
    await expect(storage.write(count)).rejects.toMatchObject({ status: 503 });
    relay.mute(false);
    expect(await storage.write(count)).toEqual([]);
  });

  test('shutdown waits once for an unreachable database, not at every step', async () => {
    await using server = await startTestServer();
    await using relay = await startRelay(server.running.services.config['Database.URL']);
    await using storage = await openStorage(relay.url);
    const count = (tx: Executor) => tx.selectFrom('content').select('guid').execute();
    expect(await storage.write(count)).toEqual([]);
    storage.hurry();
    relay.refuse(true);
    const begun = performance.now();
    for (let i = 0; i < 3; i += 1) await expect(storage.write(count)).rejects.toMatchObject({ status: 503 });
    expect(performance.now() - begun).toBeLessThan(15_000);
    relay.refuse(false);
    // Shutdown can still write once the database is back.
    expect(await storage.write(count)).toEqual([]);
  });

  test('a transaction of a server that disappeared times out within seconds', async () => {
    await using database = await startTestDatabase();
    await using storage = await openStorage(database.url);
    const setting = async (name: string) =>
      (await sql<{ value: string }>`select current_setting(${name}) as value`.execute(storage.db)).rows[0]
        ?.value;
    expect(await setting('idle_in_transaction_session_timeout')).toBe('15s');
    expect(await setting('tcp_keepalives_idle')).toBe('5');
  });

  test('requests wait while PostgreSQL restarts, and see what changed meanwhile', async () => {
    await using rig = await startRelayed();
    const { server, relay, ask } = rig;
    const [admin, owner, locked] = [
      await server.administrator(),
      await server.person('publisher'),
      await server.person('viewer'),
    ];
    for (const { key } of [owner, locked, owner, locked]) expect((await ask(key)).status).toBe(200);
    relay.refuse(true);
    const reading = ask(owner.key);
    const writing = ask(owner.key, 'POST', '/v1/content', { name: 'while-it-restarts' });
    const late = ask(locked.key);
    await admin.call('POST', `/v1/users/${locked.guid}/lock`, { body: { locked: true } });
    await relay.refused();
    relay.refuse(false);
    expect((await reading).status).toBe(200);
    expect((await writing).status).toBe(200);
    expect([200, 403]).toContain((await late).status);
    expect((await ask(locked.key)).status).toBe(403);
  });

  test('beyond the wait limit requests get 503, and work again once PostgreSQL is back', async () => {
    await using rig = await startRelayed();
    const { server, relay, ask, health } = rig;
    const owner = await server.person('publisher');
    relay.refuse(true);
    const unready = health();
    const response = await ask(owner.key);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
    expect(await response.json()).toEqual({
      code: 1,
      error: 'The database cannot be reached. Try again in a moment.',
      payload: null,
    });
    expect(await unready).toBe(503);
    relay.refuse(false);
    expect((await ask(owner.key)).status).toBe(200);
  });

  test('the log has one line when PostgreSQL is gone and one when it is back', async () => {
    const lines: { level: number; msg: string }[] = [];
    const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
    await using rig = await startRelayed(log);
    const { server, relay, ask, url } = rig;
    const owner = await server.person('publisher');
    expect((await ask(owner.key)).status).toBe(200);
    lines.length = 0;
    relay.refuse(true);
    // What is tried again in the background has failed several times by then.
    for (let i = 0; i < 2; i += 1) expect((await ask(owner.key)).status).toBe(503);
    expect((await fetch(`${url}/content/${owner.guid}/`)).status).toBe(503);
    relay.refuse(false);
    expect((await ask(owner.key)).status).toBe(200);
    const told = () => lines.map(({ msg }) => msg);
    await expect.poll(told).toEqual(['the database cannot be reached', 'the database can be reached again']);
  });

  test('writes wait only for writes on the same subject or on everything', async () => {
    await using database = await startTestDatabase();
    await using storage = await openStorage(database.url);
    const order: string[] = [];
    const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // A write waits for its turn at the first statement.
    const write = (name: string, about?: string, done?: Promise<void>) =>
      storage.write(async (tx) => {
        await sql`select 1`.execute(tx);
        begun.resolve();
        await done;
        order.push(name);
      }, about);
    const first = write('first', 'content:a', goOn.promise);
    await begun.promise;
    await write('other', 'content:b');
    const same = write('same', 'content:a');
    const all = write('all');
    const isWaiting = sql<{ n: number }>`select count(*) as n from pg_locks
      where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`;
    await expect.poll(async () => (await isWaiting.execute(storage.db)).rows[0]?.n).toBe(2);
    expect(order).toEqual(['other']);
    goOn.resolve();
    await Promise.all([first, same, all]);
    expect(order.toSorted()).toEqual(['all', 'first', 'other', 'same']);
    expect(order[1]).toBe('first');
  });

  test('audit entries of concurrent servers and publishers form one chain', async () => {
    await using server = await startTestServer();
    await using second = await startBeside(server);
    const owner = await server.person('publisher');
    const create = (base: string, name: string) =>
      fetch(`${base}/__api__/v1/content`, {
        method: 'POST',
        headers: { Authorization: `Key ${owner.key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name }),
      });
    const bases = [server.url, second.url];
    const made = await Promise.all(
      Array.from({ length: 40 }, (_, i) => create(bases[i % 2]!, `content-${i}`)),
    );
    expect(made.map(({ status }) => status)).toEqual(Array<number>(40).fill(200));
    const { storage, secrets } = server.running.services;
    const verdict = await verifyAudit(storage.db, secrets);
    expect(verdict).toMatchObject({ problem: null, unlinked: 0 });
    expect(verdict.linked).toBeGreaterThan(40);
  });

  test('a schedule that is due on several servers at once renders once', async () => {
    await using renderer = await makeQuickRenderer();
    await using server = await startTestServer({ settings: renderer.settings });
    await using beside = await startBeside(server);
    const owner = await server.person('publisher');
    const { guid } = await publish(owner, quickDocument('print(1)'), { metadata: QUICK_DOCUMENT });
    await owner.call('PUT', `/v1/content/${guid}/schedule`, { body: { cron: '0 6 1 1 *' } });
    const { db } = server.running.services.storage;
    const renders = () => db.selectFrom('task').select('id').where('mails', '=', 1).execute();
    for (let round = 1; round <= 5; round += 1) {
      await db.updateTable('schedule').set({ next_time: 1 }).execute();
      using schedules = createSchedules(server.running.services);
      using others = createSchedules(beside.services);
      // The servers themselves look every few seconds, and may have been first.
      await Promise.all([schedules.runDue(), others.runDue(), schedules.runDue(), others.runDue()]);
      const all = await renders();
      expect(all).toHaveLength(round);
      for (const { id } of all) expect((await finishedTask(owner, id)).code).toBe(0);
    }
  });

  test('an older server works with a column that a newer one added', async () => {
    await using server = await startTestServer();
    const { db } = server.running.services.storage;
    const owner = await server.person('publisher');
    const read = async (name: string) => {
      const { guid } = (await owner.call('POST', '/v1/content', { body: { name } })).body;
      return (await owner.call('GET', `/v1/content/${guid}`)).status;
    };
    for (const name of ['one', 'two', 'three']) expect(await read(name)).toBe(200);
    await db.schema.alterTable('content').addColumn('of_tomorrow', 'text').execute();
    await db.schema.alterTable('user_account').addColumn('of_tomorrow', 'text').execute();
    for (const name of ['four', 'five', 'six']) expect(await read(name)).toBe(200);
  });
} else {
  test('a second server on the same SQLite database is rejected without affecting the first', async () => {
    await using server = await startTestServer();
    await expect(startBeside(server)).rejects.toThrow(/another server uses/);
    const published = await publish(await server.person('publisher'), { 'index.html': 'x' });
    expect(published.task).toMatchObject({ code: 0 });
    await server.restart();
  });
}
