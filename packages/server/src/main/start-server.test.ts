// Covers failed starts: nothing stays open, whichever step fails.
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect, createServer, Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { caller, firstAdministrator, freePort } from '@pressroom/testkit';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { loadConfig } from './config/load-config.ts';
import { startServer } from './start-server.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'pressroom-start-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(dataDir, { recursive: true, force: true });
});

const start = (listen = '127.0.0.1:0', settings: Record<string, string | number> = {}) =>
  startServer({
    log: pino({ level: 'silent' }),
    config: loadConfig(
      {},
      { 'Server.DataDir': dataDir, 'HTTP.Listen': listen, 'HTTP.ShutdownTimeout': 1, ...settings },
    ),
  });

/** Makes the n-th step fail just after it opened its resource. Returns a function that counts the steps. */
function failAt(n: number): () => number {
  let steps = 0;
  const { use } = AsyncDisposableStack.prototype;
  vi.spyOn(AsyncDisposableStack.prototype, 'use').mockImplementation(function (
    this: AsyncDisposableStack,
    value: AsyncDisposable | Disposable | null | undefined,
  ) {
    use.call(this, value);
    steps += 1;
    if (steps === n) throw new Error(`step ${n} failed`);
    return value;
  } as typeof use);
  return () => steps;
}

/** Counts the resources that keep the process alive: open ports and child processes. */
const openResources = () =>
  process.getActiveResourcesInfo().filter((name) => ['TCPServerWrap', 'ProcessWrap'].includes(name)).length;

test('names Server.DataDir when the data directory cannot be created', async () => {
  const file = join(dataDir, 'file');
  await writeFile(file, '');
  await expect(start(undefined, { 'Server.DataDir': file })).rejects.toThrow(
    /^Server.DataDir cannot be made: /,
  );
});

test('a failure at any step undoes all earlier steps, and the next start succeeds', async () => {
  const before = openResources();
  const steps = failAt(0);
  await (await start())[Symbol.asyncDispose]();
  const count = steps();
  expect(count).toBeGreaterThan(12);
  for (let n = 1; n <= count; n += 1) {
    vi.restoreAllMocks();
    failAt(n);
    await expect(start(), `step ${n}`).rejects.toThrow(`step ${n} failed`);
    expect(openResources(), `open after step ${n} failed`).toBeLessThanOrEqual(before);
    vi.restoreAllMocks();
    // A second start would fail if the data directory or the database were still locked.
    const running = await start();
    await running[Symbol.asyncDispose]();
  }
  expect(openResources()).toBeLessThanOrEqual(before);
  expect((await readdir(dataDir)).filter((name) => name.endsWith('-wal'))).toEqual([]);
});

test('a start on an address in use releases the data directory for the next start', async () => {
  const taken: Server = createServer();
  await once(taken.listen(0, '127.0.0.1'), 'listening');
  const { port } = taken.address() as AddressInfo;
  await expect(start(`127.0.0.1:${port}`)).rejects.toThrow(
    `another program listens on 127.0.0.1:${port}: stop it, or set HTTP.Listen`,
  );
  taken.close();
  await once(taken, 'close');
  const running = await start(`127.0.0.1:${port}`);
  expect(running.url).toBe(`http://127.0.0.1:${port}`);
  await running[Symbol.asyncDispose]();
});

test('names the setting of a metrics or content address that is not available', async () => {
  const taken: Server = createServer();
  await once(taken.listen(0, '127.0.0.1'), 'listening');
  const place = `127.0.0.1:${(taken.address() as AddressInfo).port}`;
  await expect(start(undefined, { 'Metrics.PrometheusListen': place })).rejects.toThrow(
    `another program listens on ${place}: stop it, or set Metrics.PrometheusListen (PRESSROOM_METRICS_PROMETHEUSLISTEN)`,
  );
  await expect(start(undefined, { 'HTTP.ContentListen': place })).rejects.toThrow(
    `another program listens on ${place}: stop it, or set HTTP.ContentListen`,
  );
  taken.close();
  await expect(start('192.0.2.1:3939')).rejects.toThrow(
    '192.0.2.1 is not an address of this machine: set HTTP.Listen (PRESSROOM_HTTP_LISTEN) to one of its addresses',
  );
});

test('refuses to start with an empty database beside bundles of another one', async () => {
  const bundles = join(dataDir, 'bundles');
  await mkdir(bundles);
  await writeFile(join(bundles, '1.tar.gz'), 'of a server over another database');
  await expect(start()).rejects.toThrow(/database is empty, but there are bundles of another one/);
  expect(await readdir(bundles)).toEqual(['1.tar.gz']);
  await rm(join(bundles, '1.tar.gz'));
  await (await start())[Symbol.asyncDispose]();
});

test('stops once the last request has ended, though its client keeps the connection', async () => {
  const running = await start('127.0.0.1:0', { 'HTTP.ShutdownTimeout': 600 });
  const agent = new Agent({ keepAlive: true });
  const upload = request(`${running.url}/__login__`, { method: 'POST', agent });
  upload.flushHeaders();
  // A later request is answered, so the server has read the beginning of the first one.
  await fetch(`${running.url}/__health__/live`, { headers: { connection: 'close' } });
  const stopped = running[Symbol.asyncDispose]();
  await expect.poll(() => fetch(running.url).catch(() => 'refused')).toBe('refused');
  upload.end('{}');
  const [response] = (await once(upload, 'response')) as [IncomingMessage];
  await text(response);
  await stopped;
  agent.destroy();
});

test('answers a request on an open connection while the server stops', async () => {
  const running = await start();
  const socket = connect({ port: Number(new URL(running.url).port), host: '127.0.0.1' });
  await once(socket, 'connect');
  socket.write('GET /__health__/live HTTP/1.1\r\nHost: localhost\r\n');
  // A later request is answered, so the server has read the beginning of the first one.
  await fetch(`${running.url}/__health__/live`, { headers: { connection: 'close' } });
  const stopped = running[Symbol.asyncDispose]();
  await expect.poll(() => fetch(running.url).catch(() => 'refused')).toBe('refused');
  socket.write('\r\n');
  const response = await text(socket);
  expect(response).toMatch(/^HTTP\/1.1 200 /);
  expect(response).toMatch(/connection: close/i);
  await stopped;
});

test('applies a change that arrives while the server is still starting', async () => {
  const listen = `127.0.0.1:${await freePort()}`;
  const first = await start(listen);
  const { key } = await firstAdministrator(() => first.url);
  const call = caller(() => `http://${listen}`, key);
  const { guid } = (await call('POST', '/v1/content', { body: { name: 'early' } })).body;
  await first[Symbol.asyncDispose]();
  const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
  const { promise: isChanged, resolve: changed } = Promise.withResolvers<void>();
  // The port is open, but the rest of the start is delayed.
  const port = await freePort();
  const { listen: open } = Server.prototype;
  vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...args: unknown[]) {
    const now = () => Reflect.apply(open, this, args) as Server;
    if ((args[0] as { port?: number }).port !== port) return now();
    asked();
    void isChanged.then(now);
    return this;
  } as typeof open);
  const starting = start(listen, { 'Metrics.PrometheusListen': `127.0.0.1:${port}` });
  await isAsked;
  const { status, body } = await call('PATCH', `/v1/content/${guid}`, { body: { title: 'Early' } });
  changed();
  await (await starting)[Symbol.asyncDispose]();
  expect([status, body.title]).toEqual([200, 'Early']);
});

test('has no link to the first administrator once it stops', async () => {
  const server = await start();
  expect(await server.setUpLink()).toContain('/__setup__?token=');
  server.drain();
  await server[Symbol.asyncDispose]();
  expect(await server.setUpLink()).toBeNull();
});
