// Covers the cache of hot pages: responses are identical byte for byte, and dropped after a write.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createBaseUrl } from '../http/base-url.ts';
import { loadConfig } from '../main/config/load-config.ts';
import { createHotPages } from './hot-pages.ts';
import type { SiteResponse } from './site/index.ts';
import { startTestSite } from './site/test-site.ts';

type Generation = number | null;

/** @param elsewhere the generation that other servers wrote, as the storage reports it */
async function start(elsewhere: { now: Generation | Promise<Generation> } = { now: 0 }) {
  await using stack = new AsyncDisposableStack();
  const { site, root, put } = stack.use(await startTestSite());
  // Bytes above 127, and more than one chunk.
  await put('index.html', Buffer.from(Array.from({ length: 5000 }, (_, i) => i % 256)));
  await put('large.html', Buffer.alloc(50_000, 'pressroom é'));
  const config = loadConfig({}, { 'HTTP.TrustProxy': '' });
  const base = createBaseUrl(config);
  const hot = createHotPages({ storage: { generationLately: () => elsewhere.now }, base, site });
  const long: string[] = [];
  const answered: SiteResponse[] = [];
  const server = createServer((request, response) => {
    const headers = { 'Content-Security-Policy': 'sandbox' };
    const found = { root, version: '7', primary: 'index.html', path: request.url ?? '', headers };
    const goTheLongWay = async () => {
      long.push(request.url ?? '');
      const finding = {
        site: found,
        answered: (_: unknown, result: SiteResponse) => void answered.push(result),
      };
      answered.push(await site.serve(request, response, found));
      hot.keep(request, finding);
    };
    void Promise.resolve(hot.serve(request, response, 'main')).then((done) =>
      done ? undefined : goTheLongWay(),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const opened = stack.move();
  return {
    hot,
    long,
    answered,
    async ask(headers: Record<string, string> = {}, path = '/', method = 'GET'): Promise<string> {
      const socket = connect(port, '127.0.0.1');
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(
        `${method} ${path} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n${lines.join('')}\r\n`,
      );
      const pieces: Buffer[] = [];
      for await (const piece of socket) pieces.push(piece as Buffer);
      return Buffer.concat(pieces)
        .toString('latin1')
        .replace(/^Date: .*$/m, '');
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const TAG = '"7-3uw"';

describe('Repeated request', () => {
  it.each<[string, Record<string, string>, string?, string?]>([
    ['a page', {}],
    ['a larger page', {}, '/large.html'],
    ['HEAD', {}, '/', 'HEAD'],
    ['If-None-Match with its tag', { 'If-None-Match': TAG }],
    ['If-None-Match with another', { 'If-None-Match': '"x"' }],
    ['If-Match with another', { 'If-Match': '"x"' }],
    ['If-Modified-Since', { 'If-Modified-Since': new Date(Date.now() + 60_000).toUTCString() }],
    ['a range', { Range: 'bytes=10-19' }],
    ['a range with its tag', { Range: 'bytes=-7', 'If-Range': TAG }],
    ['a range beyond the end', { Range: 'bytes=9999999-' }],
    ['a navigation', { 'Sec-Fetch-Mode': 'navigate' }],
    [
      'a program that claims to be a proxy',
      { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'b.example' },
    ],
  ])('gets the same bytes from the cache: %s', async (_, headers, path = '/', method = 'GET') => {
    await using rig = await start();
    const first = await rig.ask(headers, path, method);
    const second = await rig.ask(headers, path, method);
    expect(first).toMatch(/^HTTP\/1\.1 (?:200|206|304|412|416) /);
    expect(second).toBe(first);
    expect(rig.long).toEqual([path]);
    expect(rig.answered[1]).toEqual(rig.answered[0]);
  });
});

describe('Request that bypasses the cache', () => {
  it.each<[string, Record<string, string>, string?]>([
    ['with a key', { Authorization: 'Key k' }],
    ['with a cookie', { Cookie: 'a=b' }],
    ['that changes something', {}, 'POST'],
  ])('every request %s', async (_, headers, method = 'GET') => {
    await using rig = await start();
    await rig.ask();
    await rig.ask(headers, '/', method);
    await rig.ask(headers, '/', method);
    expect(rig.long).toHaveLength(3);
  });

  it('the first one with another query, host or fetch mode', async () => {
    await using rig = await start();
    for (const [headers, path] of [
      [{}, '/'],
      [{}, '/?x'],
      [{ 'Sec-Fetch-Mode': 'navigate' }, '/'],
      [{ 'X-Forwarded-Host': 'b.example' }, '/'],
    ] as const)
      await rig.ask(headers, path);
    expect(rig.long).toHaveLength(4);
  });

  it('the first one after a change, also a concurrent one', async () => {
    await using rig = await start();
    await rig.ask();
    rig.hot.forget();
    const asked = rig.ask();
    rig.hot.forget();
    await asked;
    await rig.ask();
    expect(rig.long.length).toBeGreaterThan(1);
    await rig.ask();
    rig.hot.forget();
    await rig.ask();
    expect(rig.long.length).toBeGreaterThan(2);
  });

  it('those after another server wrote or may have written', async () => {
    const elsewhere: { now: Generation | Promise<Generation> } = { now: Promise.resolve(1) };
    await using rig = await start(elsewhere);
    await rig.ask();
    await rig.ask();
    expect(rig.long).toHaveLength(1);
    elsewhere.now = Promise.resolve(2);
    await rig.ask();
    expect(rig.long).toHaveLength(2);
    elsewhere.now = Promise.resolve(null);
    await rig.ask();
    await rig.ask();
    expect(rig.long).toHaveLength(4);
  });
});
