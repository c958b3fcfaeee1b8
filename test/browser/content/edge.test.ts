// Covers limits at the edge: responses of applications, requests of visitors, their duration and size (H1, M6, Low).
import { once } from 'node:events';
import { publish, startTestServer, type Person, type Published, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { ask, open, untilClosed } from '../../acceptance/raw-request.ts';
import { ASGI, asgi } from '../../runtime/python-content.ts';
import { hostileApplication } from './hostile-page.ts';

/** Answers after reading the whole body. */
const READS_ALL = `while (await receive()).get("more_body"):
    pass
answer = 1`;

let server: TestServer;
let owner: Person;
let hostile: Published;
let echo: Published;
beforeAll(async () => {
  server = await startTestServer({
    settings: {
      'Scheduler.IdleTimeout': 600,
      'Scheduler.MaxProcesses': 1,
      'Scheduler.MaxConnsPerProcess': 4,
      'HTTP.HeaderTimeout': 1,
      'HTTP.BodyTimeout': 2,
    },
  });
  owner = await server.person('publisher');
  hostile = await publish(owner, hostileApplication('x'), { metadata: ASGI });
  echo = await publish(owner, asgi({ '/': 'answer = headers', '/read': READS_ALL }), { metadata: ASGI });
});
afterAll(() => server[Symbol.asyncDispose]());

const pathOf = ({ guid }: Published) => `/content/${guid}/`;
/** Headers that address the proxy in front, apply to the whole origin, or belong to one connection. */
const FORBIDDEN =
  /^(x-accel-.*|x-sendfile|x-lighttpd-.*|clear-site-data|strict-transport-security|alt-svc|nel|report-to|reporting-endpoints|service-worker-allowed|x_accel_.*)$/;

describe('Responses of an application (H1)', () => {
  test.each(['origin', 'accel', 'accel_'])(
    '%s: removes headers that are not allowed for its pages',
    async (path) => {
      const { status, headers } = await ask(server.url, pathOf(hostile) + path);
      expect(status).toBe(200);
      expect(Object.keys(headers).filter((name) => FORBIDDEN.test(name))).toEqual([]);
      if (path === 'origin') expect(headers['x-mine']).toBe('stays');
    },
  );

  test('rejects cookies outside its own path, or with the server’s names (M1)', async () => {
    const cookies = (await ask(server.url, `${pathOf(hostile)}cookies`)).headers['set-cookie'] ?? [];
    expect(cookies).toEqual([]);
  });

  test('the response that opens a WebSocket is filtered the same way (H1, M1)', async () => {
    const socket = new WebSocket(server.url.replace('http', 'ws') + pathOf(hostile));
    const opened = once(socket, 'open');
    const [{ headers }] = await once(socket, 'upgrade');
    expect(Object.keys(headers).filter((name) => FORBIDDEN.test(name))).toEqual([]);
    expect(headers['set-cookie'] ?? []).toEqual([]);
    await opened;
    socket.send('still works');
    expect(String((await once(socket, 'message'))[0])).toBe('still works');
    socket.terminate();
  });
});

describe('Requests of a visitor', () => {
  test.each([
    'X-Forwarded-For',
    'X_Forwarded_Host',
    'X-Forwarded-User',
    'Forwarded',
    'X-Real-IP',
    'x_real_ip',
    'Proxy',
    'Proxy_Authorization',
    'True-Client-IP',
    'X-Original-URL',
    'X-Remote-User',
    'X-Accel-Redirect',
  ])('a forged %s header does not reach the application', async (name) => {
    const { text } = await ask(server.url, pathOf(echo), { [name]: 'made-up.example' });
    expect(text).not.toContain('made-up.example');
  });

  test.each([':', 'a b', '[', 'a:b:c', 'x'.repeat(300), 'é'])(
    'a Host header of %s returns 400',
    async (host) => {
      for (const path of ['/', '/__login__', '/__api__/server_settings', pathOf(echo)]) {
        const socket = open(server.url, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
        expect(await untilClosed(socket)).toMatch(/^HTTP\/1\.1 400 /);
      }
    },
  );

  test.each(['GET', 'POST'])('%s with several Host headers returns 400', async (method) => {
    for (const path of ['/', '/__ping__', pathOf(echo), `http://a${pathOf(echo)}`]) {
      const head = `${method} ${path} HTTP/1.1\r\nHost: a\r\nhOST: a\r\nConnection: close\r\n\r\n`;
      expect(await untilClosed(open(server.url, head))).toMatch(
        /^HTTP\/1\.1 400 [^]*the Host header is not valid/,
      );
    }
    const upgrade = `GET ${pathOf(echo)} HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
    expect(await untilClosed(open(server.url, upgrade))).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('HTTP/1.1 without a Host header returns 400 with an APIError, HTTP/1.0 needs none', async () => {
    const ask = (text: string) => untilClosed(open(server.url, `${text}\r\nConnection: close\r\n\r\n`));
    for (const path of ['/__api__/server_settings', pathOf(echo), `http://a${pathOf(echo)}`])
      expect(await ask(`GET ${path} HTTP/1.1`)).toMatch(
        /^HTTP\/1\.1 400 [^]*"error":"the Host header is not valid"/,
      );
    expect(await ask('GET /__api__/server_settings HTTP/1.0')).toMatch(/^HTTP\/1\.1 200 /);
    const upgrade = `GET ${pathOf(echo)} HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
    expect(await untilClosed(open(server.url, upgrade))).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('accepts targets in absolute form: their host counts, not that of the Host header', async () => {
    const get = (target: string) =>
      untilClosed(open(server.url, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`));
    const response = await get(`HTTP://b.example:80${pathOf(echo)}?x=//y`);
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
    expect(response).toContain('"x-forwarded-host": "b.example');
    for (const target of ['http://b.example/__ping__', 'https://b.example//__ping__'])
      expect(await get(target)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await get('http://b.example?x')).toMatch(/^HTTP\/1\.1 (200|302) /);
    for (const target of ['http:///__ping__', 'http://a@b.example/__ping__'])
      expect(await get(target)).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('rejects an address or headers that are too long with 400', async () => {
    expect((await ask(server.url, `/__ping__?${'x'.repeat(8200)}`)).status).toBe(400);
    const long = open(server.url, `GET /__ping__ HTTP/1.1\r\nHost: a\r\nX-A: ${'x'.repeat(40_000)}\r\n\r\n`);
    expect(await untilClosed(long)).toMatch(/^HTTP\/1\.1 400 [^]*the headers are too long/);
  });
});

describe('Visitors who block others (M6)', () => {
  test.each([
    ['sends nothing', ''],
    ['sends half a request', 'GET / HTTP/1.1\r\nHost: a\r\n'],
    ['sends half a body to the sign-in', 'POST /__login__ HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n'],
  ])('closes a connection that %s', async (_what, text) => {
    await expect(untilClosed(open(server.url, text))).resolves.toMatch(/^$|^HTTP\/1\.1 400 /);
  });

  test('slow bodies do not occupy connections of an application', async () => {
    const post = `POST ${pathOf(echo)} HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nx`;
    const slow = Array.from({ length: 20 }, () => open(server.url, post));
    const drip = setInterval(() => slow.forEach((socket) => socket.write('x')), 200);
    // The server that holds all these connections still answers.
    await Promise.all(slow.map((socket) => once(socket, 'connect').catch(() => undefined)));
    for (let i = 0; i < 5; i += 1) expect((await ask(server.url, pathOf(echo))).status).toBe(200);
    clearInterval(drip);
    for (const socket of slow) socket.destroy();
  });

  test('long bodies of one visitor occupy at most a quarter of the places', async () => {
    const post = `POST ${pathOf(echo)}read HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(100_000)}`;
    const sockets = Array.from({ length: 4 }, () => open(server.url, post));
    // The application reads the first one. The others are refused.
    const refusals: string[] = [];
    await new Promise<void>((resolve) => {
      for (const socket of sockets)
        socket.once('data', (data) => refusals.push(String(data)) === sockets.length - 1 && resolve());
    });
    for (const refusal of refusals) expect(refusal).toMatch(/^HTTP\/1\.1 503 /);
    expect((await ask(server.url, pathOf(echo))).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  test('a slow body that makes progress is accepted', async () => {
    const socket = open(
      server.url,
      `POST ${pathOf(echo)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 10\r\n\r\n`,
    );
    let sent = 0;
    const drip = setInterval(() => (sent += 1) <= 10 && socket.write('x'), 500);
    const response = await untilClosed(socket);
    clearInterval(drip);
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('rejects connections above the limit for one address and keeps the others', async () => {
    await using few = await startTestServer({ settings: { 'HTTP.MaxConnectionsPerAddress': 3 } });
    const sockets = Array.from({ length: 3 }, () => open(few.url));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const beyond = open(few.url, 'GET /__ping__ HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await untilClosed(beyond)).toBe('');
    sockets[0]!.write('GET /__ping__ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(await untilClosed(sockets[0]!)).toMatch(/^HTTP\/1\.1 200 /);
    for (const socket of sockets) socket.destroy();
  });
});

describe('Pipelined requests', () => {
  const get = `GET /__ping__ HTTP/1.1\r\nHost: a\r\n\r\n`;

  test('each pipelined request gets its response', async () => {
    const socket = open(server.url, get.repeat(31) + get.replace('Host', 'Connection: close\r\nHost'));
    expect((await untilClosed(socket)).match(/HTTP\/1\.1 200 /g)).toHaveLength(32);
  });

  test.each(['/__ping__', '/'])('%s: closes a connection with endless pipelined requests', async (path) => {
    const socket = open(server.url, get.replace('/__ping__', path).repeat(20_000));
    expect((await untilClosed(socket)).match(/HTTP\/1\.1 /g)?.length ?? 0).toBeLessThan(100);
    expect((await ask(server.url, '/__ping__')).status).toBe(200);
  });
});

test('the front page lists only the newest hundred items', async () => {
  await using many = await startTestServer();
  const { db } = many.running.services.storage;
  const person = await many.person('publisher');
  const first = await publish(person, { 'index.html': 'x' }, { fields: { name: 'first' } });
  const row = await db
    .selectFrom('content')
    .selectAll()
    .where('guid', '=', first.guid)
    .executeTakeFirstOrThrow();
  for (let i = 0; i < 150; i += 1) {
    const guid = crypto.randomUUID();
    const values = {
      ...row,
      guid,
      name: `n${i}`,
      title: `Item ${i}`,
      created_time: row.created_time + 1 + i,
    };
    await db.insertInto('content').values(values).execute();
  }
  const { text } = await ask(many.url, '/');
  expect(text.match(/<li>/g)).toHaveLength(100);
  expect(text).toContain('Item 149');
  expect(text).not.toContain('Item 49<');
});

test('leaving or deleting a group rechecks the access of its members immediately', async () => {
  const { services } = server.running;
  const asked: string[] = [];
  const { rightsChanged } = services;
  Object.assign(services, {
    rightsChanged() {
      asked.push('asked');
      rightsChanged();
    },
  });
  const [viewer, other] = [await server.person('viewer'), await server.person('viewer')];
  const content = await publish(owner, asgi({ '/': 'answer = 1' }), {
    metadata: ASGI,
    fields: { access_type: 'acl' },
  });
  const { guid } = (await owner.call('POST', '/v1/groups', { body: { name: 'Readers' } })).body;
  for (const { guid: user_guid } of [viewer, other])
    await owner.call('POST', `/v1/groups/${guid}/members`, { body: { user_guid } });
  const body = { principal_guid: guid, principal_type: 'group', role: 'viewer' };
  await owner.call('POST', `/v1/content/${content.guid}/permissions`, { body });
  const address = server.url.replace('http', 'ws') + pathOf(content);
  const sockets = [viewer, other].map(
    ({ key }) => new WebSocket(address, { headers: { authorization: `Key ${key}` } }),
  );
  await Promise.all(sockets.map((socket) => once(socket, 'open')));
  await owner.call('DELETE', `/v1/groups/${guid}/members/${viewer.guid}`);
  await once(sockets[0]!, 'close');
  expect(sockets[1]!.readyState).toBe(WebSocket.OPEN);
  await owner.call('DELETE', `/v1/groups/${guid}`);
  await once(sockets[1]!, 'close');
  // Checked because of the group change, not by the check of all connections twice a minute.
  expect(asked).toHaveLength(2);
  Object.assign(services, { rightsChanged });
});
