// Covers sticky sessions: requests and WebSockets of a visitor return to the process of their page.
import { once } from 'node:events';
import { get, type ClientRequest } from 'node:http';
import {
  publish,
  startTestServer,
  type CallResponse,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { asgi } from './python-content.ts';

let server: TestServer;
let owner: Person;

beforeAll(async () => {
  server = await startTestServer({ settings: { 'Scheduler.IdleTimeout': 600 } });
  owner = await server.person('publisher');
});
afterAll(() => server[Symbol.asyncDispose]());

const PATHS = {
  '/': 'answer = STARTED',
  '/part': 'answer = STARTED',
  '/cookies': 'answer = headers.get("cookie")',
};
const fetchFrom = (path: string, headers: Record<string, string> = {}) =>
  server.anonymous('GET', path, { headers });
const page = (path: string, cookie = '') =>
  fetchFrom(path, { accept: 'text/html', ...(cookie && { cookie }) });

/** Returns `name=value` of the cookie that a response sets, and its attributes. */
function cookieOf({ headers }: CallResponse): [string, string] {
  const [pair = '', ...attributes] = (headers.get('set-cookie') ?? '').split('; ');
  return [pair, attributes.join('; ')];
}

async function openSocket(path: string, cookie: string): Promise<WebSocket> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path.slice(1)}`, {
    headers: { cookie },
  });
  await once(socket, 'open');
  return socket;
}

async function processOf(socket: WebSocket): Promise<number> {
  socket.send('STARTED');
  const [data] = await once(socket, 'message');
  return Number(String(data));
}

test('a visitor stays with the process of their page; forged cookies do no harm', async () => {
  const { path } = await publish(owner, asgi(PATHS), {
    metadata: { appmode: 'python-shiny', entrypoint: 'app:app' },
    fields: { max_processes: 2, max_conns_per_process: 1, load_factor: 1 },
  });
  const first = await page(path);
  const [cookie, attributes] = cookieOf(first);
  expect(cookie).toMatch(/^pressroom-process=\w+$/);
  expect(attributes).toBe(`Path=${path.slice(1, -1)}; HttpOnly; SameSite=Lax`);
  // This connection fills the first process, so that the second visitor gets another one.
  const socket = await openSocket(path, cookie);
  expect(await processOf(socket)).toBe(first.body);
  const second = await page(path);
  expect(second.body).not.toBe(first.body);
  const [otherCookie] = cookieOf(second);

  for (let i = 0; i < 5; i++) {
    expect((await fetchFrom(`${path}part`, { cookie })).body).toBe(first.body);
    expect((await fetchFrom(`${path}part`, { cookie: otherCookie })).body).toBe(second.body);
  }
  const otherSocket = await openSocket(path, otherCookie);
  expect(await processOf(otherSocket)).toBe(second.body);
  otherSocket.close();
  await once(otherSocket, 'close');

  // A reloaded page stays and sets no cookie. If its process is full, the visitor gets another one.
  const again = await page(path, otherCookie);
  expect([again.body, again.headers.get('set-cookie')]).toEqual([second.body, null]);
  const moved = await page(path, cookie);
  expect([moved.body, cookieOf(moved)[0]]).toEqual([second.body, otherCookie]);
  expect((await fetchFrom(`${path}part`, { cookie: 'pressroom-process=nobody' })).status).toBe(200);
  expect((await fetchFrom(`${path}cookies`, { cookie: `${cookie}; own=1` })).body).toBe('own=1');
  socket.close();
});

test('requests of an open page reach its process after a deploy while it runs', async () => {
  const metadata = { appmode: 'python-shiny', entrypoint: 'app:app' };
  const { path, guid } = await publish(owner, asgi(PATHS), { metadata });
  const first = await page(path);
  const [cookie] = cookieOf(first);
  const socket = await openSocket(path, cookie);
  await publish(owner, asgi(PATHS), { metadata, guid });
  const part = async () => (await fetchFrom(`${path}part`, { cookie })).body;
  expect(await part()).toBe(first.body);
  // A page load gets the new version.
  const second = await page(path, cookie);
  expect(second.body).not.toBe(first.body);
  expect(await part()).toBe(first.body);
  expect(await processOf(socket)).toBe(first.body);
  socket.close();
  await expect.poll(part).toBe(second.body);
});

/** With node:http, since fetch sets Sec-Fetch-Mode itself. */
function begin(path: string, mode: string): ClientRequest {
  const headers = { 'sec-fetch-mode': mode, authorization: `Key ${owner.key}` };
  return get(`${server.url}${path.slice(1)}`, { headers, agent: false });
}

async function ask(path: string, mode: string): Promise<void> {
  const [response] = await once(begin(path, mode), 'response');
  await once(response.resume(), 'end');
}

test('loading a page counts as a visit; loading its parts, or leaving before it came, does not', async () => {
  const late = { '/late': 'ASKED.append(1)\nawait asyncio.sleep(3600)', '/asked': 'answer = len(ASKED)' };
  const { guid, path } = await publish(owner, asgi({ ...PATHS, ...late }, 'ASKED = []'), {
    metadata: { appmode: 'python-shiny', entrypoint: 'app:app' },
  });
  await ask(path, 'navigate');
  const left = begin(`${path}late`, 'navigate').on('error', () => undefined);
  await expect.poll(async () => (await fetchFrom(`${path}asked`)).body).toBe(1);
  left.destroy();
  await ask(`${path}part`, 'cors');
  await ask(`${path}part?shop=2`, 'navigate');
  const visited = async () => {
    const { body } = await owner.call('GET', `/v1/instrumentation/content/visits?content_guid=${guid}`);
    return body.results.map((visit: { path: string }) => visit.path);
  };
  // Visits are written in batches, with a short delay.
  await expect.poll(visited).toEqual(['/', '/part']);
});
