import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { EngineGone, openEngine, type EngineEvent } from './engine.ts';

let directory: string;
let sockets = 0;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pressroom-engine-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const settingsOf = (path: string) => ({ host: `unix://${path}`, ca: '', certificate: '', key: '' });
const respond: RequestListener = (_request, response) => {
  response.setHeader('content-type', 'application/json').end('{"NCPU": 2}');
};

/** Listens on a socket of its own, or on that path. */
async function listen(handler: RequestListener, path = join(directory, String((sockets += 1)))) {
  const server = createServer(handler);
  await once(server.listen(path), 'listening');
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { path, close, [Symbol.asyncDispose]: close };
}

test('announces that the engine stopped responding and is back, and fails at once in between', async () => {
  const first = await listen(respond);
  const events: EngineEvent[] = [];
  let heard = Promise.withResolvers<void>();
  using engine = await openEngine(settingsOf(first.path), (event) => {
    events.push(event);
    heard.resolve();
  });
  await first.close();
  const ask = () => engine.ask((docker) => docker.info());
  const error: unknown = await ask().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(EngineGone);
  await heard.promise;
  heard = Promise.withResolvers();
  expect(events).toEqual([
    { level: 'error', message: expect.stringMatching(/does not respond: .*\(Docker\.Host\)$/) },
  ]);
  await expect(ask()).rejects.toBe(error);
  expect(engine.responds).toBe(false);
  await using _second = await listen(respond, first.path);
  await heard.promise;
  expect(events[1]).toEqual({ level: 'info', message: 'the container engine answers again' });
  await expect(ask()).resolves.toEqual({ NCPU: 2 });
  expect(engine.responds).toBe(true);
});

test('one late response is no outage, and is not lost', async () => {
  const asked = Promise.withResolvers<() => void>();
  await using server = await listen((request, response) => {
    if (request.url === '/version') asked.resolve(() => respond(request, response));
    else respond(request, response);
  });
  const events: EngineEvent[] = [];
  using engine = await openEngine(settingsOf(server.path), (event) => events.push(event));
  const late = Promise.withResolvers<object>();
  await expect(engine.ask((docker) => docker.version(), 1, late.resolve)).rejects.toThrow(EngineGone);
  (await asked.promise)();
  await expect(late.promise).resolves.toEqual({ NCPU: 2 });
  await expect(engine.ask((docker) => docker.info())).resolves.toEqual({ NCPU: 2 });
  expect(events).toEqual([]);
});

test('nobody waits longer for an engine that hangs than until it does not respond to a ping', async () => {
  const requests = new EventEmitter();
  await using server = await listen((request, response) => {
    const { url = '' } = request;
    if (url === '/info') respond(request, response);
    else requests.emit(url);
  });
  const events: EngineEvent[] = [];
  using engine = await openEngine(settingsOf(server.path), (event) => events.push(event));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const [asked, pinged] = [once(requests, '/version'), once(requests, '/_ping')];
    const refused = expect(engine.ask((docker) => docker.version())).rejects.toThrow('no response to a ping');
    await asked;
    vi.advanceTimersByTime(10_000);
    await pinged;
    vi.advanceTimersByTime(5000);
    await refused;
  } finally {
    vi.useRealTimers();
  }
  expect(events).toMatchObject([{ level: 'error' }]);
});

test('after a request without a response, the next ones are not waited for as long, until it comes', async () => {
  const requests = new EventEmitter();
  let answers = false;
  await using server = await listen((request, response) => {
    const { url = '' } = request;
    if (answers || url === '/info' || url === '/_ping') respond(request, response);
    else requests.emit(url, () => respond(request, response));
  });
  const events: EngineEvent[] = [];
  let heard = Promise.withResolvers<void>();
  using engine = await openEngine(settingsOf(server.path), (event) => {
    events.push(event);
    heard.resolve();
  });
  const hang = async (seconds: number) => {
    const asked = once(requests, '/version');
    const refused = expect(engine.ask((docker) => docker.version())).rejects.toThrow(
      `within ${seconds} seconds`,
    );
    const [answer] = await asked;
    vi.advanceTimersByTime(10_000);
    // Until the ping has its response, which has a timer of its own.
    while (vi.getTimerCount() > 1) await setImmediate();
    vi.advanceTimersByTime(seconds * 1000 - 10_000);
    await refused;
    return answer as () => void;
  };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const answer = [await hang(60), await hang(15)];
    expect([engine.responds, events]).toEqual([
      false,
      [{ level: 'error', message: expect.stringContaining('no response within 60 seconds (Docker.Host)') }],
    ]);
    heard = Promise.withResolvers();
    for (const one of answer) one();
    await heard.promise;
    expect(events[1]).toEqual({ level: 'info', message: 'the container engine answers again' });
    expect(engine.responds).toBe(true);
    await hang(60);
  } finally {
    vi.useRealTimers();
  }
  answers = true;
});

test('a program ends although an engine that hangs has not answered it', async () => {
  await using server = await listen(() => undefined);
  const script = `
    import { mock } from 'node:test';
    import { openEngine } from ${JSON.stringify(join(import.meta.dirname, 'engine.ts'))};
    mock.timers.enable({ apis: ['setTimeout'] });
    openEngine(${JSON.stringify(settingsOf(server.path))}, () => undefined).catch(({ message }) => console.log(message));
    setImmediate(() => mock.timers.tick(60_000));
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = child.stdout.toArray();
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(String(await said)).toMatch(/does not respond: no response within 15 seconds \(Docker\.Host\)/);
});

test('refuses what is no engine, and names the setting', async () => {
  await using server = await listen((_request, response) => void response.end('<html>'));
  await expect(openEngine(settingsOf(server.path), () => undefined)).rejects.toThrow(
    /^Docker\.Host: what responds at unix:.* is no container engine$/,
  );
});
