// Covers several servers with one PostgreSQL and separate disks that reach each other: a visitor gets to their process
// from any of them.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { startServer, type Config, type RunningServer } from '@pressroom/server';
import {
  caller,
  finishedTask,
  freePort,
  grant,
  makeArchive,
  publish,
  startTestServer,
  testLog,
  upload,
  type Person,
  type Published,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { clusterKeys } from '../../packages/server/src/cluster/secure.ts';
import { listServers } from '../../packages/server/src/cluster/store.ts';
import { checkCluster } from '../../packages/server/src/main/doctor/check-cluster.ts';
import { createSecrets } from '../../packages/server/src/platform/secrets/secrets.ts';
import { asgi } from '../runtime/python-content.ts';
import { visit } from '../runtime/shiny-client.ts';

const KEY = 'bm90LWEtcmVhbC1rZXktYnV0LW9uZS1mb3ItdGVzdHMhISE=';
/** A content type with sticky sessions. */
const REMEMBERS = { appmode: 'python-shiny', entrypoint: 'app:app' };
const PAGES = asgi({
  '/': 'answer = STARTED',
  '/said': 'print("said " + headers["x-word"], flush=True)\nanswer = STARTED',
  '/size': `
answer = 0
while True:
    message = await receive()
    answer += len(message["body"])
    if not message.get("more_body"):
        break`,
  '/long': `
plain = send
async def send(message):
    if message["type"] == "http.response.start":
        message["headers"].append((b"x-long", b"x" * 16250))
    await plain(message)`,
  '/who':
    'answer = [headers.get("shiny-server-credentials"), headers.get("x-forwarded-for"), sorted(n for n in headers if "pressroom" in n)]',
});

if (process.env.PRESSROOM_TEST_ENGINE === 'postgres') {
  let first: TestServer;
  let second: RunningServer;
  let owner: Person;
  const stack = new AsyncDisposableStack();

  /** Starts another server of the same database, by default with its own data directory. */
  async function startAnother(settings: Partial<Config> = {}): Promise<RunningServer> {
    const directory = await mkdtemp(join(tmpdir(), 'pressroom-cluster-'));
    stack.defer(() => rm(directory, { recursive: true, force: true }));
    // Without it, a server does not start beside bundles that only another one has.
    await mkdir(join(directory, 'bundles'));
    const config = { ...first.running.services.config, 'Server.DataDir': directory, ...settings };
    return startServer({ config, log: testLog() });
  }

  beforeAll(async () => {
    first = stack.use(
      await startTestServer({
        settings: { 'Secrets.Key': KEY, 'Cluster.Listen': '127.0.0.1:0', 'Scheduler.IdleTimeout': 600 },
      }),
    );
    second = stack.use(await startAnother());
    owner = await first.person('publisher');
  });
  afterAll(() => stack.disposeAsync());

  const at = (server: { readonly url: string }, { path }: Published, rest = '') =>
    `${server.url}${path.slice(1)}${rest}`;
  const key = (person: Person) => ({ authorization: `Key ${person.key}` });
  const api = async (server: RunningServer, path: string, method = 'GET') =>
    (await caller(() => server.url, owner.key)(method, path)).body;
  async function openSocket(url: string, headers: Record<string, string> = {}): Promise<WebSocket> {
    const socket = new WebSocket(url.replace('http', 'ws'), { headers });
    await once(socket, 'open');
    return socket;
  }
  async function echo(socket: WebSocket, text: string): Promise<string> {
    socket.send(text);
    return String((await once(socket, 'message'))[0]);
  }

  test('requests, WebSockets and uploads reach the process on the other server; a cookie leads back', async () => {
    const app = await publish(owner, PAGES, { metadata: REMEMBERS });
    const here = await (await fetch(at(first, app))).json();
    const page = await fetch(at(second, app), { headers: { accept: 'text/html' } });
    expect(await page.json()).toBe(here);
    expect(page.headers.getSetCookie()).toEqual([
      expect.stringMatching(new RegExp(`^pressroom-process=\\w+; Path=${app.path.slice(1, -1)}; HttpOnly`)),
    ]);
    const cookie = page.headers.getSetCookie()[0]!.split(';')[0]!;
    const socket = await openSocket(at(second, app), { cookie });
    expect(await echo(socket, 'STARTED')).toBe(String(here));
    expect(await echo(socket, 'x'.repeat(200_000))).toHaveLength(200_000);
    socket.close();
    await once(socket, 'close');
    const body = Buffer.alloc(5_000_000);
    const sent = await fetch(at(second, app, 'size'), { method: 'POST', body, headers: { cookie } });
    expect(await sent.json()).toBe(body.length);
    const deleted = await fetch(at(second, app), { method: 'DELETE', headers: { cookie } });
    expect(await deleted.json()).toBe(here);
    // The other server, which does not even have the files, started no process.
    expect(await api(second, `/v1/content/${app.guid}/jobs`)).toHaveLength(1);
  });

  test('a canary takes its share on both servers, and is counted and rolled back once for both', async () => {
    const app = await publish(owner, asgi({ '/': 'answer = "old"' }), { metadata: REMEMBERS });
    const raw = makeArchive(asgi({ '/': 'answer = "new"\nstatus = 500' }), { ...REMEMBERS });
    const { id } = (await owner.call('POST', `/v1/content/${app.guid}/bundles`, { raw })).body;
    const body = { bundle_id: id, canary: { share: 50 } };
    const { task_id } = (await owner.call('POST', `/v1/content/${app.guid}/deploy`, { body })).body;
    expect(await finishedTask(owner, task_id)).toMatchObject({ code: 0 });
    const canary = () => api(second, `/v1/content/${app.guid}/canary`);
    const asked = { old: 0, new: 0 };
    const visitAt = async (server: { readonly url: string }) => {
      const response = await fetch(at(server, app), { headers: { accept: 'text/html' } });
      const text = (await response.json()) as 'old' | 'new';
      expect(response.status).toBe(text === 'new' ? 500 : 200);
      asked[text] += 1;
      return text;
    };
    while (asked.old === 0 || asked.new === 0) await visitAt(second);
    // Requests answered while the canary ran are counted. Of the last ones, some may have come after its end.
    let before = { ...asked };
    while ((await canary()).state === 'running') {
      before = { ...asked };
      await Promise.all([visitAt(first), visitAt(second)]);
    }
    const within = (counted: number, side: 'old' | 'new') =>
      counted >= before[side] && counted <= asked[side];
    await expect
      .poll(async () => {
        const { live, canary: own } = await canary();
        return [within(live.requests, 'old'), within(own.errors, 'new')];
      })
      .toEqual([true, true]);
    expect(await canary()).toMatchObject({ state: 'back', live: { errors: 0 } });
    await expect
      .poll(() => Promise.all([first, second, first, second, first, second, first, second].map(visitAt)))
      .not.toContain('new');
    const { db } = first.running.services.storage;
    const ends = await db.selectFrom('audit_log').select('id').where('action', '=', 'end_canary').execute();
    expect(ends).toHaveLength(1);
  });

  test('the application gets the visitor, but no internal headers of the servers', async () => {
    const app = await publish(owner, PAGES, { metadata: REMEMBERS });
    const forged = { 'pressroom-visit': 'e30', 'shiny-server-credentials': '{"user":"mallory"}' };
    const response = await fetch(at(second, app, 'who'), { headers: { ...key(owner), ...forged } });
    const user = JSON.stringify({ user: owner.username, groups: [] });
    expect(await response.json()).toEqual([user, '127.0.0.1', []]);
  });

  test('a response with the longest headers that are allowed comes through another server', async () => {
    const app = await publish(owner, PAGES, { metadata: REMEMBERS });
    const options = { headers: key(owner), maxHeaderSize: 64 * 1024 };
    for (const server of [first, second]) {
      const [response] = (await once(get(at(server, app, 'long'), options), 'response')) as [IncomingMessage];
      response.resume();
      expect(response.statusCode).toBe(200);
      expect(response.headers['x-long']).toHaveLength(16_250);
    }
  });

  test('a visitor without rights is rejected on both servers, and disconnected when they end', async () => {
    const app = await publish(owner, PAGES, { metadata: REMEMBERS, fields: { access_type: 'acl' } });
    const viewer = await first.person('viewer');
    expect((await fetch(at(second, app))).status).toBe(401);
    expect((await fetch(at(second, app), { headers: key(viewer) })).status).toBe(403);
    const permission = await grant(owner, app.guid, viewer, 'viewer');
    await expect.poll(async () => (await fetch(at(second, app), { headers: key(viewer) })).status).toBe(200);
    const socket = await openSocket(at(second, app), key(viewer));
    const closed = once(socket, 'close');
    await api(second, `/v1/content/${app.guid}/permissions/${permission.id}`, 'DELETE');
    await closed;
    expect((await fetch(at(second, app), { headers: key(viewer) })).status).toBe(403);
  });

  test('another server reads and follows the log of a process, and stops the process', async () => {
    const app = await publish(owner, PAGES, { metadata: REMEMBERS });
    const [job] = await api(second, `/v1/content/${app.guid}/jobs`);
    const log = (query: string) => api(second, `/v1/content/${app.guid}/jobs/${job.key}/log?${query}`);
    const { entries, last } = await log('');
    expect(entries[0].data).toMatch(/^Launching/);
    const isAloud = ({ data }: { data: string }) => data === 'said aloud';
    let waiting = log(`first=${last}&wait=20`);
    await fetch(at(first, app, 'said'), { headers: { 'x-word': 'aloud' } });
    // What the start printed may arrive late.
    while (!(await waiting).entries.some(isAloud)) waiting = log(`first=${(await waiting).last}&wait=20`);

    const admin = await first.administrator();
    const list = await fetch(`${second.url}/__api__/metrics/procs`, { headers: key(admin) });
    const rows = Object.values(
      (await list.json()) as Record<string, { appGuid: string; ram: number | null }>,
    );
    expect(rows.find(({ appGuid }) => appGuid === app.guid)!.ram).toBeGreaterThan(1_000_000);

    const stopped = await api(second, `/v1/content/${app.guid}/jobs/${job.key}`, 'DELETE');
    expect(stopped).toMatchObject({ job_key: job.key, error: null });
    // The end is recorded with a short delay.
    await expect.poll(async () => (await log(`first=${2 ** 31 - 1}&wait=20`)).finished).toBe(true);
    const again = await api(second, `/v1/content/${app.guid}/jobs/${job.key}`, 'DELETE');
    expect(again).toMatchObject({ code: 39, error: expect.stringContaining('has ended') });
  });

  test('the doctor reaches every server, and explains a failure with another key', async () => {
    const { config } = first.running.services;
    const servers = await listServers(first.running.services.storage.db);
    const addresses = servers.map(({ address }) => address).toSorted();
    const own = { ...config, 'Cluster.Listen': addresses[0]! };
    const what = 'Other servers';
    const dataDir = await mkdtemp(join(tmpdir(), 'pressroom-cluster-'));
    stack.defer(() => rm(dataDir, { recursive: true, force: true }));
    await writeFile(join(dataDir, 'secret.key'), KEY);
    for (const ours of [own, { ...own, 'Secrets.Key': '' }])
      expect(await checkCluster(ours, dataDir)).toEqual([
        expect.objectContaining({
          what: 'Cluster port',
          message: expect.stringContaining('a Pressroom server'),
        }),
        ...addresses.map((address) => ({
          what,
          state: 'good',
          message: `${address} is reached`,
          remedy: '',
        })),
      ]);
    await expect(startAnother(own)).rejects.toThrow(
      `another program listens on ${addresses[0]}: stop it, or set Cluster.Listen (PRESSROOM_CLUSTER_LISTEN)`,
    );
    const stranger = { ...own, 'Secrets.Key': createHash('sha256').update('other').digest('base64') };
    expect(await checkCluster(stranger, dataDir)).toContainEqual(
      expect.objectContaining({
        what,
        state: 'bad',
        remedy: expect.stringContaining('Secrets.Key is the same'),
      }),
    );
    for (const [lacking, remedy] of [
      ['Database.URL', /Set Database.URL/],
      ['Cluster.Listen', /Set Cluster.Listen/],
    ] as const)
      expect(await checkCluster({ ...own, 'Cluster.Address': 'one:1', [lacking]: '' }, dataDir)).toEqual([
        expect.objectContaining({ state: 'bad', remedy: expect.stringMatching(remedy) }),
      ]);
  });

  test('any server stops all processes of the content', async () => {
    const app = await publish(owner, PAGES, { metadata: REMEMBERS });
    const before = await (await fetch(at(second, app))).json();
    const task = await api(second, `/applications/${app.guid}/terminate`, 'POST');
    expect(await api(second, `/v1/tasks/${task.id}?wait=20`)).toMatchObject({ code: 0 });
    // The end of a process is recorded with a short delay.
    await expect.poll(async () => (await api(second, `/v1/content/${app.guid}/jobs`))[0].status).toBe(2);
    expect(await (await fetch(at(first, app))).json()).not.toBe(before);
  });

  /** Visits content at several servers while `work` runs. Returns the statuses other than 200. */
  async function visitWhile(app: Published, servers: { readonly url: string }[], work: Promise<unknown>) {
    let isOver = false;
    const over = work.finally(() => (isOver = true));
    const bad: number[] = [];
    const visitAt = async (server: { readonly url: string }) => {
      while (!isOver) {
        const { status } = await fetch(at(server, app));
        if (status !== 200) bad.push(status);
      }
    };
    await Promise.all([over, ...servers.map(visitAt)]);
    return bad;
  }
  const ENDS_SLOWLY = 'import atexit\natexit.register(lambda: time.sleep(1))';

  test.each([3, 1])(
    'visitors of another server wait during a restart for the next process: at most %i processes',
    async (max_processes) => {
      await using beside = await startAnother({ 'Server.DataDir': first.dataDir });
      const files = asgi({ '/': 'answer = STARTED' }, ENDS_SLOWLY);
      const app = await publish(owner, files, { metadata: REMEMBERS, fields: { max_processes } });
      const before = await (await fetch(at(first, app))).json();
      const { task_id } = await api(beside, `/v1/content/${app.guid}/restart`, 'POST');
      const finished = finishedTask(owner, task_id);
      const bad = await visitWhile(app, [first, beside], finished);
      expect(await finished).toMatchObject({ code: 0, error: '' });
      // Requests at the old process may be lost with it.
      expect(bad.length).toBeLessThan(3);
      expect(await (await fetch(at(first, app))).json()).not.toBe(before);
    },
  );

  test('a server that missed a restart stops its processes once it learns of it', async () => {
    await using beside = await startAnother({ 'Server.DataDir': first.dataDir });
    const call = caller(() => beside.url, owner.key);
    const app = await publish({ ...owner, call }, PAGES, { metadata: REMEMBERS });
    const before = await (await fetch(at(beside, app))).json();
    const { db } = first.running.services.storage;
    const { node } = beside.services.jobs;
    const nowhere = { address: '127.0.0.1:1' };
    await db.updateTable('cluster_server').set(nowhere).where('node', '=', node).execute();
    // A new server reads the list of servers at its start.
    await using asked = await startAnother({ 'Server.DataDir': first.dataDir });
    const { task_id } = await api(asked, `/v1/content/${app.guid}/restart`, 'POST');
    expect(await finishedTask(owner, task_id)).toMatchObject({ code: 0 });
    await expect.poll(async () => (await fetch(at(beside, app))).json()).not.toBe(before);
  });

  test('two servers restart the same content at once while their visitors wait', async () => {
    await using beside = await startAnother({ 'Server.DataDir': first.dataDir });
    const app = await publish(owner, asgi({ '/': 'answer = STARTED' }, ENDS_SLOWLY), { metadata: REMEMBERS });
    await fetch(at(first, app));
    const restart = async (server: RunningServer) =>
      finishedTask(owner, (await api(server, `/v1/content/${app.guid}/restart`, 'POST')).task_id);
    const restarts = Promise.all([restart(first.running), restart(beside)]);
    const bad = await visitWhile(app, [first, beside], restarts);
    for (const task of await restarts) expect(task).toMatchObject({ code: 0, error: '' });
    expect(bad.length).toBeLessThan(3);
  });

  test('a draft goes live even when its visitors occupy every process on another server', async () => {
    await using beside = await startAnother({ 'Server.DataDir': first.dataDir });
    const fields = { max_processes: 1 };
    const app = await publish(owner, asgi({ '/': 'answer = "old"' }), { metadata: REMEMBERS, fields });
    const id = await upload(owner, app.guid, asgi({ '/': 'answer = "new"' }), REMEMBERS);
    const deploy = async (server: RunningServer, more: object) => {
      const { call } = { call: caller(() => server.url, owner.key) };
      const body = { bundle_id: id, ...more };
      const { task_id } = (await call('POST', `/v1/content/${app.guid}/deploy`, { body })).body;
      return finishedTask(owner, task_id);
    };
    expect(await deploy(beside, { activate: false })).toMatchObject({ code: 0 });
    const socket = await openSocket(at(beside, app, `_bundle${id}/`), key(owner));
    expect(await deploy(first.running, {})).toMatchObject({ code: 0, error: '' });
    expect(await (await fetch(at(first, app))).json()).toBe('new');
    socket.terminate();
  });

  test('files of a process on another server remain after later deploys while it has visitors', async () => {
    await using beside = await startAnother({ 'Server.DataDir': first.dataDir });
    const files = { ...asgi({ '/': 'answer = 1' }), 'data.txt': 'x' };
    const app = await publish({ ...owner, call: caller(() => beside.url, owner.key) }, files, {
      metadata: REMEMBERS,
    });
    const [site] = await readdir(join(first.dataDir, 'content', app.guid));
    const socket = await openSocket(at(beside, app));
    for (let i = 0; i < 3; i += 1) {
      const { guid } = app;
      expect((await publish(owner, files, { metadata: REMEMBERS, guid })).task).toMatchObject({ code: 0 });
    }
    expect(await echo(socket, 'still here')).toBe('still here');
    expect(await readdir(join(first.dataDir, 'content', app.guid))).toContain(site);
    socket.terminate();
  });

  test('deleting content ends its process on another server immediately', async () => {
    await using beside = await startAnother({ 'Server.DataDir': first.dataDir });
    const call = caller(() => beside.url, owner.key);
    const app = await publish({ ...owner, call }, PAGES, { metadata: REMEMBERS });
    const [{ pid }] = await api(beside, `/v1/content/${app.guid}/jobs`);
    const isThere = () => existsSync(`/proc/${pid}`);
    expect(isThere()).toBe(true);
    await owner.call('DELETE', `/v1/content/${app.guid}`);
    await expect.poll(isThere).toBe(false);
  });

  test('when the server of a process disappears, sockets end and visitors get another process', async () => {
    const third = await startAnother({ 'Server.DataDir': second.services.config['Server.DataDir'] });
    const call = caller(() => third.url, owner.key);
    const app = await publish({ ...owner, call }, PAGES, { metadata: REMEMBERS });
    const page = await fetch(at(second, app), { headers: { accept: 'text/html' } });
    const before = await page.json();
    const cookie = page.headers.getSetCookie()[0]!.split(';')[0]!;
    const socket = await openSocket(at(second, app), { cookie });
    expect(await echo(socket, 'STARTED')).toBe(String(before));
    const closed = once(socket, 'close');
    await third[Symbol.asyncDispose]();
    await closed;
    const after = await fetch(at(second, app), { headers: { accept: 'text/html', cookie } });
    expect(after.status).toBe(200);
    expect(await after.json()).not.toBe(before);
    expect(after.headers.getSetCookie()[0]).not.toContain(cookie);
  });

  test('an unreachable server that is still listed is skipped', async () => {
    const app = await publish(owner, PAGES, { metadata: REMEMBERS });
    const { db } = first.running.services.storage;
    let tries = 0;
    const broken = createServer((socket) => {
      tries += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(broken, 'listening');
    const { port } = broken.address() as AddressInfo;
    const time = first.running.services.clock.now();
    const node = '00000000-0000-4000-8000-000000000000';
    const row = { node, address: `127.0.0.1:${port}`, started: time, heartbeat: time };
    await db.insertInto('cluster_server').values(row).execute();
    await db.insertInto('server_life').values({ node, beat: 1, name: null }).execute();
    await db.updateTable('job').set({ node }).where('content_guid', '=', app.guid).execute();
    // This server has the files, and reads the list of servers at its start.
    const third = await startAnother({ 'Server.DataDir': first.dataDir });
    const [job] = await api(third, `/v1/content/${app.guid}/jobs`);
    const cookie = `pressroom-process=${job.key}`;
    const page = await fetch(at(third, app), { headers: { accept: 'text/html', cookie } });
    expect(page.status).toBe(200);
    expect(page.headers.getSetCookie()[0]).not.toContain(cookie);
    expect(tries).toBeGreaterThan(0);
    await third[Symbol.asyncDispose]();
    for (const table of ['cluster_server', 'server_life'] as const)
      await db.deleteFrom(table).where('node', '=', node).execute();
    broken.close();
  });

  test('processes of a killed server do not keep others from starting theirs', async () => {
    const app = await publish(owner, PAGES, { metadata: REMEMBERS, fields: { max_processes: 1 } });
    const { db } = first.running.services.storage;
    const time = first.running.services.clock.now();
    const node = '00000000-0000-4000-8000-000000000001';
    const row = { node, address: `127.0.0.1:${await freePort()}`, started: time, heartbeat: time };
    const [job] = await api(first.running, `/v1/content/${app.guid}/jobs`);
    const places = db.selectFrom('process_place').selectAll().where('content_guid', '=', app.guid);
    const place = await places.executeTakeFirstOrThrow();
    const task = await api(first.running, `/applications/${app.guid}/terminate`, 'POST');
    await api(first.running, `/v1/tasks/${task.id}?wait=20`);
    await db.insertInto('cluster_server').values(row).execute();
    await db.insertInto('server_life').values({ node, beat: 1, name: null }).execute();
    await db
      .insertInto('process_place')
      .values({ ...place, key: 'of-the-killed', node })
      .execute();
    await db.updateTable('job').set({ node }).where('content_guid', '=', app.guid).execute();
    // This server has the files, and reads the list of servers at its start.
    await using third = await startAnother({ 'Server.DataDir': first.dataDir });
    const cookie = `pressroom-process=${job.key}`;
    const page = await fetch(at(third, app), { headers: { accept: 'text/html', cookie } });
    expect(page.status).toBe(200);
    await db.deleteFrom('cluster_server').where('node', '=', node).execute();
    await db.deleteFrom('server_life').where('node', '=', node).execute();
  });

  test('shutdown does not wait for another server that stopped answering', async () => {
    const app = await publish(owner, PAGES, { metadata: REMEMBERS });
    const { db } = first.running.services.storage;
    const asked = Promise.withResolvers<void>();
    const silent = createTlsServer(clusterKeys(createSecrets(KEY)).listening, () => asked.resolve());
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    const time = first.running.services.clock.now();
    const node = '00000000-0000-4000-8000-000000000001';
    const row = { node, address: `127.0.0.1:${port}`, started: time, heartbeat: time };
    await db.insertInto('cluster_server').values(row).execute();
    const third = await startAnother();
    const { id } = await api(third, `/applications/${app.guid}/terminate`, 'POST');
    await asked.promise;
    const begun = performance.now();
    await third[Symbol.asyncDispose]();
    // Without the limit, the stop would take 30 s.
    expect(performance.now() - begun).toBeLessThan(25_000);
    expect(await finishedTask(owner, id)).toMatchObject({
      code: 1,
      error: expect.stringContaining('stopped'),
    });
    await db.deleteFrom('cluster_server').where('node', '=', node).execute();
    silent.closeAllConnections();
    silent.close();
  });

  test('Shiny behind a round-robin proxy: socket, downloads and a lost connection find their server', async () => {
    const app = await publish(
      owner,
      {
        'app.R': `
library(shiny)
ui <- fluidPage(numericInput("n", "n", 1), textOutput("out"), downloadLink("file"))
server <- function(input, output, session) {
  output$out <- renderText(paste("has", input$n, "of", session$token))
  output$file <- downloadHandler("n.txt", function(path) writeLines(paste("downloaded", input$n), path))
  outputOptions(output, "file", suspendWhenHidden = FALSE)
}
shinyApp(ui, server)
`,
      },
      { metadata: { appmode: 'shiny' } },
    );
    await using proxy = await startRoundRobin([first.url, second.url]);
    const visitor = await visit(at(proxy, app));
    if (visitor.socket === null) throw new Error(`refused with ${visitor.status}`);
    const out = (values: Record<string, unknown>) => String(values.out ?? '');
    visitor.set({ n: 1 });
    const [, token] = out(await visitor.until((values) => out(values).includes('has 1'))).split(' of ');
    // Enough connections to reach each server. The session is on one of them.
    for (const n of [2, 3, 4]) {
      visitor.set({ n });
      await visitor.until((values) => out(values) === `has ${n} of ${token}`);
      expect(await textOf(at(proxy, app, `session/${token}/download/file?w=`))).toBe(`downloaded ${n}\n`);
      await visitor.comeBack();
    }
    expect(proxy.counts.every((count) => count > 2)).toBe(true);
    expect(await api(second, `/v1/content/${app.guid}/jobs`)).toHaveLength(1);
    const closed = once(visitor.socket, 'close');
    await api(second, `/applications/${app.guid}/terminate`, 'POST');
    expect((await closed)[0]).toBe(4000);
  });

  test('the port between servers rejects clients without the key, and replayed connections', async () => {
    const { db } = first.running.services.storage;
    const row = (await listServers(db)).find(({ node }) => node === first.running.services.jobs.node)!;
    const port = Number(row.address.split(':')[1]);
    const plain = connect(port, '127.0.0.1');
    plain.write(
      `POST /call/session HTTP/1.1\r\nHost: h\r\npressroom-node: ${row.node}\r\nContent-Length: 2\r\n\r\n{}`,
    );
    expect(await everything(plain)).not.toMatch(/HTTP/);

    const { connecting } = clusterKeys(createSecrets(KEY));
    const wrong = clusterKeys(createSecrets(KEY.replace('bm90', 'bm91'))).connecting;
    for (const options of [{ rejectUnauthorized: false }, wrong])
      await expect(ask(port, options, row.node)).rejects.toThrow();

    const recorded: Buffer[] = [];
    await using recorder = await startRecorder(port, recorded);
    expect(await ask(recorder.port, connecting, row.node)).toMatch(/^HTTP\/1.1 200 [^]*\bnull\b/);
    const again = connect(port, '127.0.0.1');
    again.write(Buffer.concat(recorded));
    expect(await everything(again)).not.toMatch(/HTTP|null/);

    // The address now belongs to another server (421), and paths for visitors are refused.
    expect(await ask(port, connecting, second.services.jobs.node)).toMatch(/^HTTP\/1.1 421 /);
    expect(await ask(port, connecting, row.node, 'GET /content/')).toMatch(/pressroom-outcome: refused/);
  });
} else {
  test('Cluster.Listen requires a shared database', async () => {
    await expect(startTestServer({ settings: { 'Cluster.Listen': '127.0.0.1:0' } })).rejects.toThrow(
      'Cluster.Listen requires Database.URL',
    );
  });
}

/** Sends a request over TLS with these options, and returns the response. @throws if the connection is refused */
async function ask(port: number, options: ConnectionOptions, node: string, what = 'POST /call/session') {
  const socket = connectTls({ host: '127.0.0.1', port, ...options });
  await once(socket, 'secureConnect');
  socket.write(
    `${what} HTTP/1.1\r\nHost: h\r\npressroom-node: ${node}\r\nConnection: close\r\nContent-Length: 13\r\n\r\n{"token":"x"}`,
  );
  return everything(socket);
}

/** Requests a URL over a new connection. */
async function textOf(url: string): Promise<string> {
  const [response] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage];
  return text(response);
}

async function everything(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('latin1');
}

/** Forwards connections, and records what is sent to the server. */
async function startRecorder(to: number, recorded: Buffer[]) {
  const open: Socket[] = [];
  const server = createServer((client) => {
    const out = connect(to, '127.0.0.1');
    open.push(client, out);
    client.on('data', (chunk: Buffer) => recorded.push(chunk)).on('error', () => out.destroy());
    client.pipe(out).pipe(client);
    out.on('error', () => client.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** Forwards connections to the servers in turn. */
async function startRoundRobin(urls: readonly string[]) {
  const counts = urls.map(() => 0);
  let next = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const index = next++ % urls.length;
    counts[index]! += 1;
    const out = connect(Number(new URL(urls[index]!).port), '127.0.0.1');
    for (const [one, other] of [
      [client, out],
      [out, client],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy()).on('close', () => (other.destroy(), open.delete(one)));
      one.pipe(other);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    counts,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}
