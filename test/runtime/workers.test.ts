// Covers application processes over HTTP and WebSocket: started, filled, refused, drained, and closed when a right is lost.
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  finishedTask,
  grant,
  publish,
  startTestServer,
  type Person,
  type Published,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { ASGI, WSGI, asgi } from './python-content.ts';

let server: TestServer;
let owner: Person;

beforeAll(async () => {
  server = await startTestServer({ settings: { 'Scheduler.IdleTimeout': 600 } });
  owner = await server.person('publisher');
});
afterAll(() => server[Symbol.asyncDispose]());

const publishApi = (paths: Record<string, string>, fields: Record<string, unknown> = {}, guid?: string) =>
  publish(owner, asgi({ '/': 'answer = STARTED', ...paths }), {
    metadata: ASGI,
    fields,
    ...(guid && { guid }),
  });
const get = (path: string, headers: Record<string, string> = {}) =>
  server.anonymous('GET', path, { headers });
/** Values of `status` of a job. */
const [ACTIVE, ENDED] = [0, 2];
const jobsOf = async ({ guid }: Published, status: number) =>
  (await owner.call('GET', `/v1/content/${guid}/jobs`)).body.filter(
    (job: { status: number }) => job.status === status,
  );

function socketTo({ guid }: Published, path = '', headers: Record<string, string> = {}): WebSocket {
  return new WebSocket(`${server.url.replace('http', 'ws')}/content/${guid}/${path}`, { headers });
}

async function untilJobs(content: Published, status: number, count: number): Promise<void> {
  while ((await jobsOf(content, status)).length !== count) await delay(20);
}

/** Counts how often its processes have printed "inside". */
async function insideOf(content: Published): Promise<number> {
  const jobs = (await jobsOf(content, ACTIVE)) as { key: string }[];
  const paths = jobs.map(({ key }) => `/v1/content/${content.guid}/jobs/${key}/log`);
  const logs = await Promise.all(paths.map((path) => owner.call('GET', path)));
  const lines = logs.flatMap(({ body }) => body.entries as { data: string }[]);
  return lines.filter(({ data }) => data === 'inside').length;
}

test('the process tested by the deploy serves the first visitor', async () => {
  const content = await publishApi({});
  expect(content.task).toMatchObject({ code: 0 });
  expect((await get(content.path)).status).toBe(200);
  expect((await owner.call('GET', `/v1/content/${content.guid}/jobs`)).body).toHaveLength(1);
});

test('values of variables are masked in the output and error of tasks', async () => {
  const secret = 'hunter2-database-password';
  const print = `print("connecting with " + os.environ.get("DB_PASSWORD", "nothing"), flush=True)`;
  const fail = `raise RuntimeError("cannot log in with " + os.environ["DB_PASSWORD"])`;
  const first = await publish(owner, asgi({}, print), { metadata: ASGI });
  const [name, value] = ['DB_PASSWORD', secret];
  const set = await owner.call('PATCH', `/v1/content/${first.guid}/environment`, { body: [{ name, value }] });
  expect(set.status).toBe(200);
  const failed = await publish(owner, asgi({}, `${print}\n${fail}`), { metadata: ASGI, guid: first.guid });
  expect(failed.task.output).toContain('connecting with ***');
  expect(failed.task.error).toContain('cannot log in with ***');
  const { body } = await owner.call('POST', `/v1/content/${first.guid}/restart`);
  const restarted = await finishedTask(owner, body.task_id);
  expect(restarted.output).toContain('connecting with ***');
  expect(JSON.stringify([failed.task, restarted])).not.toContain(secret);
});

describe('Number of processes', () => {
  const slow = { '/slow': 'await asyncio.sleep(3)\nanswer = STARTED' };

  test('visitors above the limit get 503 immediately, the others are served', async () => {
    // Requests stay open until the file `open` exists, however long the second process takes to start.
    const code = [
      'print("inside", flush=True)',
      'while not os.path.exists("open"):',
      '    await asyncio.sleep(0.02)',
      'answer = STARTED',
    ].join('\n');
    const content = await publishApi({ '/held': code }, { max_processes: 2, max_conns_per_process: 3 });
    const visits = Promise.all(Array.from({ length: 20 }, () => get(`${content.path}held`)));
    while ((await insideOf(content)) < 6) await delay(20);
    const page = await get(`${content.path}held`, { accept: 'text/html' });
    expect(page.status).toBe(503);
    expect(page.bytes.toString()).toMatch(/<h1>Too many visitors<\/h1>/);
    const sites = join(server.dataDir, 'content', content.guid);
    await writeFile(join(sites, (await readdir(sites))[0]!, 'open'), '');
    const responses = await visits;
    const served = responses.filter((response) => response.status === 200);
    const refused = responses.filter((response) => response.status === 503);
    expect([served.length, refused.length]).toEqual([6, 14]);
    expect(new Set(served.map((response) => response.body)).size).toBe(2);
    expect(refused[0]!.headers.get('retry-after')).toBe('5');
    expect(refused[0]!.body).toMatchObject({ error: expect.stringMatching(/in use/) });
  });

  test('a load factor of 0 starts a process for each connection, 1 fills one first', async () => {
    for (const [load_factor, processes] of [
      [0, 3],
      [1, 1],
    ]) {
      const content = await publishApi(slow, { max_processes: 3, max_conns_per_process: 5, load_factor });
      const responses = await Promise.all(Array.from({ length: 3 }, () => get(`${content.path}slow`)));
      expect(responses.map((response) => response.status)).toEqual([200, 200, 200]);
      await untilJobs(content, ACTIVE, processes!);
    }
  });

  test('idle processes end, except the minimum', async () => {
    const none = await publishApi({}, { idle_timeout: 0 });
    const one = await publishApi({}, { idle_timeout: 0, min_processes: 1 });
    await untilJobs(none, ENDED, 1);
    const [idle] = await jobsOf(none, ENDED);
    const { body } = await owner.call('GET', `/v1/content/${none.guid}/jobs/${idle.key}/log`);
    expect(body.entries.map(({ data }: { data: string }) => data)).toContain(
      'The process is stopped: it was idle for 0 seconds',
    );
    await get(one.path);
    expect(await jobsOf(one, ACTIVE)).toHaveLength(1);
    const [job] = await jobsOf(one, ACTIVE);
    process.kill(job.pid, 'SIGKILL');
    await untilJobs(one, ENDED, 1);
    await untilJobs(one, ACTIVE, 1);
    const [next] = await jobsOf(one, ACTIVE);
    expect(next.key).not.toBe(job.key);
    // Deleting the content ends this process, too.
    await owner.call('DELETE', `/v1/content/${one.guid}`);
    expect(() => process.kill(next.pid, 0)).toThrow(/ESRCH/);
  });
});

describe('Deploy over running processes', () => {
  test('running requests finish on the old version, new ones use the new; none fails', async () => {
    const content = await publishApi({ '/version': 'await asyncio.sleep(0.01)\nanswer = 1' });
    const statuses = new Map<string, number>();
    let stop = false;
    const visitor = async () => {
      while (!stop) {
        const { status, body } = await get(`${content.path}version`);
        const key = `${status} ${JSON.stringify(body)}`;
        statuses.set(key, (statuses.get(key) ?? 0) + 1);
      }
    };
    const visitors = Array.from({ length: 5 }, visitor);
    const socket = socketTo(content);
    await once(socket, 'open');
    const again = await publishApi({ '/version': 'answer = 2' }, {}, content.guid);
    expect(again.task.code).toBe(0);
    while (!statuses.has('200 2')) await delay(5);
    stop = true;
    await Promise.all(visitors);
    expect([...statuses.keys()].sort()).toEqual(['200 1', '200 2']);
    // The open WebSocket is still served by the old process.
    socket.send('hello');
    expect(String((await once(socket, 'message'))[0])).toBe('hello');
    expect(await jobsOf(content, ACTIVE)).toHaveLength(2);
    socket.close();
    await untilJobs(content, ACTIVE, 1);
  });

  test('a failed start keeps the old version running, and names the cause', async () => {
    const content = await publishApi({});
    const before = (await get(content.path)).body;
    const failed = await publish(
      owner,
      { 'app.py': 'import nowhere_to_be_found\n' },
      { metadata: ASGI, guid: content.guid },
    );
    expect(failed.task).toMatchObject({ code: 1 });
    expect(failed.task.error).toContain("No module named 'nowhere_to_be_found'");
    expect((await get(content.path)).body).toBe(before);
  });
});

describe('Exchange between visitors and applications', () => {
  let content: Published;
  let redirecting: Published | undefined;
  const echo =
    'answer = {"path": path, "root": scope.get("root_path"), "query": scope["query_string"].decode(), "headers": headers}';
  beforeAll(async () => {
    content = await publishApi({ '/echo': echo, '/moved': 'status = 302' });
  });

  test('the application gets its path as root, and its public address in headers', async () => {
    const { body } = await get(`${content.path}echo?a=1&b=%20`);
    const { host } = new URL(server.url);
    expect(body).toMatchObject({
      path: '/echo',
      query: 'a=1&b=%20',
      root: `/content/${content.guid}`,
      headers: { 'x-forwarded-host': host, 'x-forwarded-proto': 'http', 'x-forwarded-for': '127.0.0.1' },
    });
  });

  test.each([
    ['rstudio-connect-credentials', '{"user":"admin"}'],
    ['RStudio_Connect_Credentials', '{"user":"admin"}'],
    ['shiny-server-credentials', '{"user":"admin"}'],
    ['SHINY_SERVER_CREDENTIALS', '{"user":"admin"}'],
    ['x-forwarded-for', '10.1.1.1'],
    ['X_Forwarded_Prefix', '/elsewhere'],
  ])('a visitor cannot forge %s', async (name, value) => {
    const { headers } = (await get(`${content.path}echo`, { [name]: value })).body;
    expect(JSON.stringify(headers)).not.toContain(value.replaceAll('"', '\\"'));
  });

  test('the application gets the signed-in user from the server, without the key', async () => {
    const viewer = await server.person('viewer');
    const response = await viewer.call('GET', `${content.path}echo`, {
      headers: { cookie: 'mine=1; pressroom-session=x; RSC-XSRF=y' },
    });
    const { headers } = response.body;
    expect(JSON.parse(headers['rstudio-connect-credentials'])).toEqual({ user: viewer.username, groups: [] });
    expect(headers).not.toHaveProperty('authorization');
    expect(headers.cookie).toBe('mine=1');
    expect(JSON.stringify(headers)).not.toContain(viewer.key);
  });

  test('a WSGI application gets its script name', async () => {
    const app = `
import json
def app(environ, start_response):
    start_response("302 Found", [("Location", "/next"), ("Set-Cookie", "a=1; Path=/; HttpOnly"), ("Set-Cookie", "pressroom-session=evil"), ("Content-Type", "application/json")])
    return [json.dumps([environ["SCRIPT_NAME"], environ["PATH_INFO"]]).encode()]
`;
    const wsgi = await publish(owner, { 'app.py': app }, { metadata: WSGI });
    expect(wsgi.task).toMatchObject({ code: 0 });
    const { body, headers } = await get(`${wsgi.path}here`);
    expect(body).toEqual([`/content/${wsgi.guid}`, '/here']);
    // Redirects and cookies stay below the content's path, and it cannot set the server's cookies.
    expect(headers.get('location')).toBe(`/content/${wsgi.guid}/next`);
    expect(headers.getSetCookie()).toEqual([`a=1; Path=/content/${wsgi.guid}/; HttpOnly`]);
  });

  test('a WSGI application starts without pkg_resources, and can import it', async () => {
    const app = `
import sys
loaded = "pkg_resources._vendor" in sys.modules
import pkg_resources
def app(environ, start_response):
    start_response("200 OK", [("Content-Type", "application/json")])
    version = pkg_resources.get_distribution("gunicorn").version
    return [b'[%s, "%s"]' % (str(loaded).lower().encode(), version.encode())]
`;
    const wsgi = await publish(owner, { 'app.py': app }, { metadata: WSGI });
    expect((await get(wsgi.path)).body).toEqual([false, expect.stringMatching(/^\d+\./)]);
  });

  test.each([
    ['/next?a=1', '{prefix}/next?a=1'],
    ['{origin}/next', '{origin}{prefix}/next'],
    ['{origin}{prefix}/next', '{origin}{prefix}/next'],
    ['{origin}/content/elsewhere/', '{origin}/content/elsewhere/'],
    ['{origin}.example.com/next', '{origin}.example.com/next'],
    ['//example.com/next', '//example.com/next'],
    ['next', 'next'],
  ])('a redirect to %s arrives as %s', async (from, to) => {
    const redirect = `
to = scope["query_string"]
await send({"type": "http.response.start", "status": 302, "headers": [(b"location", to)]})
await send({"type": "http.response.body", "body": b""})
return
`;
    redirecting ??= await publishApi({ '/go': redirect });
    const filled = (text: string) =>
      text.replace('{origin}', server.url).replace('{prefix}', `/content/${redirecting!.guid}`);
    const { headers } = await get(`${redirecting.path}go?${filled(from)}`);
    expect(headers.get('location')).toBe(filled(to));
  });

  test('bodies of any size stream in both directions', async () => {
    const sum = `
size = 0
while True:
    message = await receive()
    size += len(message.get("body", b""))
    if not message.get("more_body"):
        break
await send({"type": "http.response.start", "status": 200, "headers": []})
for i in range(64):
    await send({"type": "http.response.body", "body": b"x" * 2 ** 20, "more_body": True})
await send({"type": "http.response.body", "body": str(size).encode()})
return
`;
    const api = await publishApi({ '/sum': sum });
    const raw = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 64; i++) controller.enqueue(new Uint8Array(2 ** 20));
        controller.close();
      },
    });
    const { status, bytes } = await server.anonymous('POST', `${api.path}sum`, { raw });
    expect(status).toBe(200);
    expect(bytes.subarray(64 * 2 ** 20).toString()).toBe(String(64 * 2 ** 20));
  });
});

describe('WebSockets', () => {
  test('pass text and binary messages unchanged in both directions', async () => {
    const content = await publishApi({});
    const socket = socketTo(content, 'any/path');
    await once(socket, 'open');
    for (const message of ['text', 'ünï', Buffer.from([0, 1, 255]), Buffer.alloc(300_000, 7)]) {
      socket.send(message);
      const [data, isBinary] = await once(socket, 'message');
      expect(isBinary).toBe(typeof message !== 'string');
      expect(Buffer.from(message).equals(data as Buffer)).toBe(true);
    }
    socket.close();
    await once(socket, 'close');
  });

  test.each([
    ['without an account', {}, 401],
    ['with a key that is not valid', { authorization: 'Key nonsense' }, 401],
  ])('are rejected %s for signed-in-only content', async (_name, headers, status) => {
    const content = await publishApi({}, { access_type: 'logged_in' });
    const socket = socketTo(content, '', headers);
    const [, response] = await once(socket, 'unexpected-response');
    expect(response.statusCode).toBe(status);
    socket.on('error', () => undefined).terminate();
  });

  test('close when the visitor loses the permission', async () => {
    const content = await publishApi({}, { access_type: 'acl' });
    const viewer = await server.person('viewer');
    const { id } = await grant(owner, content.guid, viewer, 'viewer');
    const socket = socketTo(content, '', { authorization: `Key ${viewer.key}` });
    await once(socket, 'open');
    await owner.call('DELETE', `/v1/content/${content.guid}/permissions/${id}`);
    await expect(once(socket, 'close')).resolves.toBeDefined();
  });

  test('close when the visitor is locked', async () => {
    const content = await publishApi({}, { access_type: 'logged_in' });
    const viewer = await server.person('viewer');
    const socket = socketTo(content, '', { authorization: `Key ${viewer.key}` });
    await once(socket, 'open');
    const admin = await server.administrator();
    await admin.call('POST', `/v1/users/${viewer.guid}/lock`, { body: { locked: true } });
    await expect(once(socket, 'close')).resolves.toBeDefined();
  });

  test('do not delay the shutdown of the server', async () => {
    const own = await startTestServer();
    const content = await publish(await own.person('publisher'), asgi({}), { metadata: ASGI });
    const socket = new WebSocket(`${own.url.replace('http', 'ws')}${content.path.replace('//', '/')}`);
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await own[Symbol.asyncDispose]();
    await expect(closed).resolves.toBeDefined();
  });

  test('close after ConnectionTimeout without traffic', async () => {
    const content = await publishApi({}, { connection_timeout: 1 });
    const socket = socketTo(content);
    await once(socket, 'open');
    await expect(once(socket, 'close')).resolves.toBeDefined();
  });

  test('close after ReadTimeout without messages from the visitor', async () => {
    const content = await publishApi({}, { read_timeout: 5 });
    const [silent, speaking] = [socketTo(content), socketTo(content)];
    await Promise.all([once(silent, 'open'), once(speaking, 'open')]);
    const talk = setInterval(() => speaking.send('still here'), 200);
    await once(silent, 'close');
    clearInterval(talk);
    expect(speaking.readyState).toBe(WebSocket.OPEN);
    speaking.terminate();
  });
});
