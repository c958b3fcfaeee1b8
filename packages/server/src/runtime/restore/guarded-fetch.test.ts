// Covers addresses that publishers name: only public ones are requested.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createGuardedFetch } from './guarded-fetch.ts';

const opened: { close(): void }[] = [];
afterEach(() => opened.splice(0).forEach((server) => server.close()));

/** @param location where it redirects to; null for a plain response */
async function startHost(location: string | null) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    if (location === null) response.end('packages');
    else response.writeHead(302, { location }).end();
  });
  opened.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { port: (server.address() as AddressInfo).port, asked };
}
const headers = { Authorization: 'Basic c2VjcmV0' };

test.each([
  '127.0.0.1',
  'localhost',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '2130706433',
  '10.0.0.1',
  '169.254.169.254',
])('rejects the private host %s without a request', async (host) => {
  const { port, asked } = await startHost(null);
  const url = new URL(`http://${host}:${port}/`);
  await expect(createGuardedFetch([])(url, { headers })).rejects.toThrow('has a private address');
  expect(asked).toEqual([]);
});

test('allows a host that the administrator named, but no redirect to another private one', async () => {
  const inner = await startHost(null);
  const outer = await startHost(`http://127.0.0.1:${inner.port}/`);
  const ask = createGuardedFetch(['localhost']);
  const response = await ask(new URL(`http://localhost:${inner.port}/`), { headers });
  expect(await response.text()).toBe('packages');
  await expect(ask(new URL(`http://localhost:${outer.port}/`), { headers })).rejects.toThrow(
    'has a private address',
  );
  expect(inner.asked).toHaveLength(1);
});

test('sends no password to another host', async () => {
  const inner = await startHost(null);
  const outer = await startHost(`http://127.0.0.1:${inner.port}/`);
  const ask = createGuardedFetch(['localhost', '127.0.0.1']);
  await ask(new URL(`http://localhost:${outer.port}/`), { headers });
  const given = [outer, inner].map(({ asked }) => asked.map((request) => request.headers.authorization));
  expect(given).toEqual([[headers.Authorization], [undefined]]);
});

test('stops after too many redirects', async () => {
  const host = await startHost('/');
  const ask = createGuardedFetch(['127.0.0.1']);
  await expect(ask(new URL(`http://127.0.0.1:${host.port}/`), { headers })).rejects.toThrow('too often');
});

/** @param answer called with the connection of each request */
async function startRawHost(answer: (socket: Socket) => void): Promise<URL> {
  const server = createTcpServer((socket) =>
    socket.on('error', () => undefined).once('data', () => answer(socket)),
  );
  opened.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}
const BEGINNING = 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nbeginning';
const ask = createGuardedFetch(['127.0.0.1']);

test('a connection that is reset in the middle of a response ends that response only', async () => {
  const uncaught: Error[] = [];
  const note = (error: Error) => void uncaught.push(error);
  process.on('uncaughtExceptionMonitor', note);
  let connection: Socket | undefined;
  const url = await startRawHost((socket) => void (connection = socket).write(BEGINNING));
  const response = await ask(url, { headers });
  connection?.resetAndDestroy();
  await expect(response.text()).rejects.toThrow();
  process.off('uncaughtExceptionMonitor', note);
  expect(uncaught).toEqual([]);
});

test('a response that changes the protocol is an error', async () => {
  const url = await startRawHost(
    (socket) =>
      void socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
  );
  await expect(ask(url, { headers })).rejects.toThrow('it closed the connection');
});
