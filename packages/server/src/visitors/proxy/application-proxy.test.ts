// Covers the slots that request bodies hold, and what visitors are told of wrong responses.
import { once } from 'node:events';
import { createServer, request as openRequest } from 'node:http';
import { connect, createServer as createNetServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import Pool from 'undici/lib/dispatcher/pool.js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Unavailable } from '../../runtime/unavailable.ts';
import { createApplicationProxy } from './application-proxy.ts';
import { createConnections } from './connections.ts';
import type { Visit } from './visit.ts';

const visitOf = (port: number, dispatcher?: Pool) => {
  const worker = { address: { host: '127.0.0.1', port }, key: 'w', dispatcher };
  return {
    contentGuid: 'c',
    remoteAddress: '127.0.0.1',
    path: '/',
    url: 'http://h/content/c',
    policy: null,
    engine: {},
    pool: { acquire: async () => ({ worker, release: () => undefined }) },
    scheduling: () => ({ maxProcesses: 1, maxConnections: 1 }),
    check: async () => undefined,
  } as unknown as Visit;
};

test.each([
  ['GET', 'hello', 'The content cannot be shown'],
  ['POST', 'hello', 'The content cannot be shown'],
  ['GET', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 'The content cannot be shown'],
  ['POST', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 'The content cannot be shown'],
  ['GET', 'HTTP/1.1 600 Odd\r\nContent-Length: 0\r\n\r\n', 'The content cannot be shown'],
  ['POST', 'HTTP/1.1 600 Odd\r\nContent-Length: 0\r\n\r\n', 'The content cannot be shown'],
  ['GET', 'HTTP/1.1 101 Switch\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n', 'The content cannot be shown'],
  ['POST', 'HTTP/1.1 101 Switch\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n', 'The content cannot be shown'],
  ['GET', '', 'The content stopped'],
  ['POST', '', 'The content stopped'],
])('tells of %s that is answered with %.20j', async (method, said, title) => {
  const application = createNetServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(said));
  });
  await once(application.listen(0, '127.0.0.1'), 'listening');
  const { port } = application.address() as AddressInfo;
  const dispatcher = new Pool(`http://127.0.0.1:${port}`);
  using connections = createConnections();
  const proxy = createApplicationProxy(connections, {} as never, pino({ level: 'silent' }));
  const server = createServer((request, response) => {
    proxy
      .handle(request, response, visitOf(port, dispatcher))
      .catch((error: unknown) => response.end((error as Unavailable).title));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const body = method === 'POST' ? 'x' : undefined;
  expect(await (await fetch(url, { method, ...(body && { body }) })).text()).toBe(title);
  server.close();
  application.close();
  await dispatcher.destroy();
});

test('uploads that are answered early, and then abandoned, hold no slot', async () => {
  // Never reads the body that it refuses.
  const application = createNetServer((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', () => socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno'));
  });
  await once(application.listen(0, '127.0.0.1'), 'listening');
  const { port } = application.address() as AddressInfo;
  const visit = visitOf(port);
  using connections = createConnections();
  const proxy = createApplicationProxy(connections, {} as never, pino({ level: 'silent' }));
  let closed = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    response.once('close', closed.resolve);
    proxy.handle(request, response, visit).catch(() => response.writeHead(503).end());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const to = { host: '127.0.0.1', port: (server.address() as AddressInfo).port, agent: false };
  const headers = { 'content-length': 1_000_000 };
  const statuses: unknown[] = [];
  for (let upload = 0; upload < 2; upload += 1) {
    closed = Promise.withResolvers();
    const visitor = openRequest({ ...to, method: 'POST', headers });
    visitor.on('error', () => undefined).write(Buffer.alloc(100_000));
    const [result] = await once(visitor, 'response');
    statuses.push(result.statusCode);
    visitor.destroy();
    await closed.promise;
  }
  expect(statuses).toEqual([413, 413]);
  server.close();
  application.close();
});

test('nothing starts for a visitor who has lost access while the body came', async () => {
  using connections = createConnections();
  const proxy = createApplicationProxy(connections, {} as never, pino({ level: 'silent' }));
  const acquire = vi.fn(() => Promise.reject(new Error('started')));
  const check = () => Promise.reject(new Error('no longer yours'));
  const visit = { ...visitOf(0), pool: { acquire }, check } as unknown as Visit;
  const asked = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    proxy.handle(request, response, visit).catch((error: unknown) => response.end((error as Error).message));
    asked.resolve();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const headers = { 'content-length': 1 };
  const visitor = openRequest({ host: '127.0.0.1', port, agent: false, method: 'POST', headers });
  visitor.flushHeaders();
  await asked.promise;
  connections.recheck('c');
  visitor.end('x');
  const [result] = await once(visitor, 'response');
  expect(await text(result)).toBe('no longer yours');
  expect(acquire).not.toHaveBeenCalled();
  server.close();
});

describe('a process that has just ended', () => {
  /** Nothing listens there. */
  const GONE = 1;
  const asked: string[] = [];
  const dispatchers: Pool[] = [];
  const living = createServer((request, response) => {
    asked.push(request.method!);
    request.pipe(response);
  });
  living.on('upgrade', (_request, socket) => {
    const head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    socket.end(`${head}hello`);
  });
  let proxied: string;
  let visited: Visit;
  const connections = createConnections();
  const proxy = createApplicationProxy(connections, {} as never, pino({ level: 'silent' }));
  const server = createServer((request, response) => {
    proxy
      .handle(request, response, visited)
      .catch((error: unknown) => response.end((error as Unavailable).title));
  });
  server.on('upgrade', (request, socket, head) => {
    proxy
      .upgrade(request, socket, head, visited)
      .catch((error: unknown) => socket.end((error as Unavailable).title));
  });
  const addressOf = (listening: { address: () => unknown }) => listening.address() as AddressInfo;

  beforeAll(async () => {
    await once(living.listen(0, '127.0.0.1'), 'listening');
    await once(server.listen(0, '127.0.0.1'), 'listening');
    proxied = `http://127.0.0.1:${addressOf(server).port}/`;
  });
  afterAll(async () => {
    connections[Symbol.dispose]();
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.destroy()));
    server.close();
    living.close();
  });

  /** The first pool that is asked has the process at this port, the next one the living one. */
  function visitAfter(port: number): { released: number[]; end: () => void } {
    const released: number[] = [];
    const ended = Promise.withResolvers<void>();
    const poolAt = (at: number) => {
      const dispatcher = new Pool(`http://127.0.0.1:${at}`);
      dispatchers.push(dispatcher);
      const address = { host: '127.0.0.1', port: at };
      const worker = { key: String(at), address, dispatcher, ended: ended.promise, refused: ended.resolve };
      return { acquire: async () => ({ worker, release: () => released.push(at) }) };
    };
    const [first, next] = [poolAt(port), poolAt(addressOf(living).port)];
    let uses = 0;
    visited = Object.defineProperty(visitOf(port), 'pool', { get: () => ((uses += 1) === 1 ? first : next) });
    asked.length = 0;
    return { released, end: ended.resolve };
  }

  test.each([
    ['GET', undefined],
    ['POST', undefined],
    ['POST', 'short'],
    ['DELETE', undefined],
  ])('is not asked: another one answers %s with the body %s', async (method, body) => {
    const { released } = visitAfter(GONE);
    const response = await fetch(proxied, { method, ...(body !== undefined && { body }) });
    expect([await response.text(), asked]).toEqual([body ?? '', [method]]);
    await expect.poll(() => [...new Set(released)]).toEqual([GONE, addressOf(living).port]);
  });

  test('is not asked: another one opens a WebSocket', async () => {
    const { released } = visitAfter(GONE);
    const visitor = connect(addressOf(server).port, '127.0.0.1');
    visitor.write('GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    expect(await text(visitor)).toMatch(/^HTTP\/1\.1 101 [^]*\r\n\r\nhello$/);
    await expect.poll(() => [...new Set(released)]).toEqual([GONE, addressOf(living).port]);
  });

  test('is told to who sends a long body, part of which is lost', async () => {
    visitAfter(GONE);
    const response = await fetch(proxied, { method: 'POST', body: 'x'.repeat(1_000_000) });
    expect([await response.text(), asked]).toEqual(['The content stopped', []]);
  });

  test('is told to who may have ended it: no other process gets that request', async () => {
    const application = createNetServer((socket) => {
      socket
        .on('error', () => undefined)
        .once('data', () => {
          application.close();
          socket.destroy();
        });
    });
    await once(application.listen(0, '127.0.0.1'), 'listening');
    const { end } = visitAfter(addressOf(application).port);
    application.once('close', end);
    expect([await (await fetch(proxied)).text(), asked]).toEqual(['The content stopped', []]);
  });
});
