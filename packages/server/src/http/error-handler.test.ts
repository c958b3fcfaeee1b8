import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import Fastify from 'fastify';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { installErrorHandler, refuseConnection } from './error-handler.ts';
import { LINGER_MS } from './last-response.ts';

afterEach(() => void vi.useRealTimers());

test('does not log the query of a failed request, which can carry a secret', async () => {
  const logged: string[] = [];
  await using app = Fastify();
  installErrorHandler(app, pino({}, { write: (line) => logged.push(line) }));
  app.get('/__login__/link', () => {
    throw new Error('the database is gone');
  });
  const response = await app.inject('/__login__/link?token=sesame');
  expect(response.statusCode).toBe(500);
  expect(logged.join()).toContain('/__login__/link');
  expect(logged.join()).not.toContain('sesame');
});

test.each([
  ['SQLite', { code: 'ERR_SQLITE_ERROR', errcode: 13 }],
  ['PostgreSQL', { code: '53100' }],
  ['the system', { code: 'ENOSPC' }],
])('returns 503 for a full disk reported by %s', async (_who, fields) => {
  await using app = Fastify();
  installErrorHandler(app, pino({ level: 'silent' }));
  app.get('/', () => {
    throw Object.assign(new Error('no room'), fields);
  });
  const response = await app.inject('/');
  expect(response.statusCode).toBe(503);
  expect(response.json().error).toBe('The disk of the server is full. Its administrator has to make room.');
});

test('returns 503 for a read-only disk, without its path', async () => {
  await using app = Fastify();
  installErrorHandler(app, pino({ level: 'silent' }));
  app.get('/', () => {
    throw Object.assign(new Error("EROFS: open '/srv/logs'"), { code: 'EROFS' });
  });
  const response = await app.inject('/');
  expect(response.statusCode).toBe(503);
  expect(response.json().error).toBe(
    'The disk of the server is read-only. Its administrator has to make it writable.',
  );
});

test('closes a connection whose headers never end, although its client leaves it open', async () => {
  const server = createServer({ headersTimeout: 1, connectionsCheckingInterval: 1, requestTimeout: 0 });
  const refused = Promise.withResolvers<Socket>();
  server.on('clientError', (error, socket) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    refuseConnection(error, socket as Socket);
    refused.resolve(socket as Socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  client.write('GET / HTTP/1.1\r\nHo');
  const served = await refused.promise;
  await once(client.resume(), 'end');
  const closed = once(served, 'close');
  vi.advanceTimersByTime(LINGER_MS);
  await closed;
  expect(client.closed).toBe(false);
  client.destroy();
  server.close();
});

test('does not write its refusal of a second request into the response to the first', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Length': 100 });
    response.write('the first half');
  });
  server.on('clientError', (error, socket) => refuseConnection(error, socket as Socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ host: '127.0.0.1', port });
  client.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  const [start] = await once(client, 'data');
  expect(String(start)).toContain('HTTP/1.1 200 OK');
  client.write('no request\r\n\r\n');
  const rest = await text(client).catch(() => 'a reset connection');
  expect(`${start}${rest}`).not.toContain('HTTP/1.1 400');
  server.close();
});
