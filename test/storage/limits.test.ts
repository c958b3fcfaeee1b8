// Covers limits that apply to all servers of one PostgreSQL together, not to each of them.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer, type Config, type RunningServer } from '@pressroom/server';
import {
  caller,
  finishedTask,
  makeArchive,
  publish,
  startTestServer,
  testLog,
  type Person,
  type Published,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { ASGI, asgi } from '../runtime/python-content.ts';

const KEY = 'bm90LWEtcmVhbC1rZXktYnV0LW9uZS1mb3ItdGVzdHMhISE=';
/** A content type with sticky sessions, and one connection per process. */
const SHINY = { appmode: 'python-shiny', entrypoint: 'app:app' };
const ONE_EACH = { max_conns_per_process: 1, load_factor: 0 };
const PAGES = asgi({ '/': 'answer = STARTED' });

if (process.env.PRESSROOM_TEST_ENGINE === 'postgres') {
  let first: TestServer;
  let second: RunningServer;
  let owner: Person;
  const stack = new AsyncDisposableStack();
  const waits: number[] = [];
  const pause = async (ms: number) => void waits.push(ms);

  beforeAll(async () => {
    const settings: Partial<Config> = {
      'Secrets.Key': KEY,
      'Cluster.Listen': '127.0.0.1:0',
      'Scheduler.IdleTimeout': 600,
      'Applications.MaxConcurrentDeploys': 1,
    };
    first = stack.use(await startTestServer({ settings, pause }));
    const directory = await mkdtemp(join(tmpdir(), 'pressroom-limits-'));
    stack.defer(() => rm(directory, { recursive: true, force: true }));
    const config = { ...first.running.services.config, 'Server.DataDir': first.dataDir };
    second = stack.use(await startServer({ config, log: testLog(), pause }));
    owner = await first.person('publisher');
  });
  afterAll(() => stack.disposeAsync());

  const servers = () => [first.url, second.url];
  const responses = async (server: string, app: Published) => {
    const response = await fetch(`${server}${app.path.slice(1)}`);
    return response.status === 200 ? response.json() : response.status;
  };

  /** Occupies a connection of a process until the WebSocket is closed. */
  const hold = async (server: string, app: Published) => {
    const socket = new WebSocket(`${server.replace('http', 'ws')}${app.path.slice(1)}`);
    await once(socket, 'open');
    const heard = once(socket, 'message');
    socket.send('STARTED');
    const process = Number((await heard)[0]);
    return { socket, process, [Symbol.dispose]: () => socket.close() };
  };

  test('content limited to one process has one across all servers', async () => {
    for (const metadata of [ASGI, SHINY]) {
      const app = await publish(owner, PAGES, { metadata, fields: { max_processes: 1 } });
      const seen = await Promise.all([...servers(), ...servers()].map((url) => responses(url, app)));
      expect(new Set(seen).size).toBe(1);
      expect(seen[0]).toBeGreaterThan(1000);
    }
  });

  test('visitors of a full server get free connections of others, and no extra process starts', async () => {
    const fields = { max_processes: 2, ...ONE_EACH };
    const app = await publish(owner, PAGES, { metadata: ASGI, fields });
    const opened = [await hold(first.url, app), await hold(first.url, app)];
    const [one, other] = opened.map(({ process }) => process);
    expect(one).not.toBe(other);
    // A visitor without a free connection waits briefly, then gets 503.
    for (const url of servers()) expect(await responses(url, app)).toBe(503);
    for (const { socket } of opened) socket.close();
    // Both processes are on the first server. The second has none, and may not start one.
    await expect.poll(() => responses(second.url, app)).toBeGreaterThan(1000);
    using there = await hold(second.url, app);
    await expect.poll(() => responses(second.url, app)).toBeGreaterThan(1000);
    const beside = await responses(second.url, app);
    expect(new Set([there.process, beside])).toEqual(new Set([one, other]));
    const jobs = (await owner.call('GET', `/v1/content/${app.guid}/jobs`)).body;
    expect(jobs.filter((job: { status: number }) => job.status === 0)).toHaveLength(2);
  });

  test('the limit of concurrent deploys applies across all servers', async () => {
    const elsewhere = { ...owner, call: caller(() => second.url, owner.key) };
    const slow = asgi({ '/': 'answer = 1' }, 'while not os.path.exists("go"): time.sleep(0.02)');
    const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'slow' } })).body;
    await owner.call('POST', `/v1/content/${guid}/bundles`, { raw: makeArchive(slow, ASGI) });
    const { task_id: running } = (await owner.call('POST', `/v1/content/${guid}/deploy`)).body;
    const linesOf = async (id: string) => (await owner.call('GET', `/v1/tasks/${id}`)).body.output.length;
    await expect.poll(() => linesOf(running)).toBeGreaterThan(0);
    const other = (await elsewhere.call('POST', '/v1/content', { body: { name: 'page' } })).body.guid;
    await elsewhere.call('POST', `/v1/content/${other}/bundles`, { raw: makeArchive({ 'index.html': 'x' }) });
    const { task_id: waiting } = (await elsewhere.call('POST', `/v1/content/${other}/deploy`)).body;
    const { body } = await elsewhere.call('GET', `/v1/tasks/${waiting}?wait=2`);
    expect(body).toMatchObject({ finished: false, output: [] });
    expect((await owner.call('POST', `/v1/tasks/${running}/cancel`)).status).toBe(200);
    expect(await finishedTask(elsewhere, waiting)).toMatchObject({ code: 0 });
  });

  test('password guesses on several servers are slowed down as on one', async () => {
    const { username } = await first.person('viewer');
    const guess = async (server: string, password: string) =>
      (
        await fetch(`${server}/__login__`, {
          method: 'POST',
          headers: { 'Sec-Fetch-Site': 'same-origin', Origin: server },
          body: new URLSearchParams({ username, password, next: '/' }),
          redirect: 'manual',
        })
      ).status;
    waits.length = 0;
    for (let i = 0; i < 8; i += 1) await guess(servers()[i % 2]!, `wrong ${i}`);
    // Four guesses are free, then each wait is twice as long (milliseconds), plus the time of the guesses before it.
    expect(waits).toHaveLength(4);
    const [least] = waits;
    expect(least).toBeGreaterThan(500);
    expect(least).toBeLessThanOrEqual(1000);
    expect(waits[3]).toBeGreaterThan(7500);
  });
} else {
  test('an SQLite database has one server, so its limits apply to all', async () => {
    await using server = await startTestServer();
    expect(server.running.services.storage.isShared).toBe(false);
  });
}
