// Covers links of package indexes: those of one named by content also go through the gateway, and its password opens
// nothing but the index.
import { once } from 'node:events';
import { createServer, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { createGuardedFetch } from '../guarded-fetch.ts';
import { createIndexGateway, withoutProof } from './index-gateway.ts';

test('listens again after it could not', async () => {
  const gateway = createIndexGateway(fetch);
  const source = { address: 'https://packages.example.com/simple/', authorization: 'Basic eDp5' };
  const listen = vi.spyOn(Server.prototype, 'listen').mockImplementationOnce(function (this: Server) {
    queueMicrotask(() => this.emit('error', new Error('listen EADDRNOTAVAIL')));
    return this;
  });
  await expect(gateway.open(source)).rejects.toThrow('EADDRNOTAVAIL');
  using opened = await gateway.open(source);
  expect(opened.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]+\/simple\/$/);
  listen.mockRestore();
});

test('rewrites all links of a page to the gateway, which refuses private addresses', async () => {
  const authorizations: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    authorizations.push(request.headers.authorization);
    const { port } = server.address() as AddressInfo;
    if (request.url === '/simple/alpha/')
      response
        .setHeader('content-type', 'text/html')
        .end(
          `<a href="http://localhost:${port}/a.whl?x=1&amp;y=2#sha256=1">a</a><a HREF=//127.0.0.1:1/b.whl>b</a><a href='c.whl'>c</a>`,
        );
    else response.end(request.url);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const source = {
    address: `http://127.0.0.1:${port}/simple`,
    authorization: 'Basic eA==',
    isOwn: true,
  } as const;
  const open = (hosts: string[]) => createIndexGateway(createGuardedFetch(hosts)).open(source);
  using opened = await open(['127.0.0.1', 'localhost']);
  const page = await (await fetch(`${opened.address}/alpha/`)).text();
  const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, href]) => new URL(href!, opened.base).href);
  expect(links.every((href) => href.startsWith(`${opened.base}/`))).toBe(true);
  expect(links.map((href) => href.split('/').at(-1))).toEqual(['a.whl#sha256=1', 'b.whl', 'c.whl']);
  const [first = '', , last] = links;
  expect(last).toBe(`${opened.address}/alpha/c.whl`);
  expect(await (await fetch(first)).text()).toBe('/a.whl?x=1&y=2');
  expect(authorizations).toEqual(['Basic eA==', undefined]);
  using strict = await open(['127.0.0.1']);
  expect((await fetch(first.replace(opened.base, strict.base))).status).toBe(502);
  server.close();
});

test.each([true, undefined])(
  'reads with its password what an index and its pages name, and nothing else of its host (named by content: %s)',
  async (isOwn) => {
    const asked: string[] = [];
    const server = createServer(({ url = '', headers }, response) => {
      asked.push(`${url} ${headers.authorization}`);
      response.setHeader('content-type', url.endsWith('/alpha/') ? 'text/html' : 'text/plain');
      response.end('<a href="../../files/alpha-1.whl?as=raw#sha256=1" data-core-metadata="x">alpha</a>');
    });
    const stranger = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<a href="/api/variables">beta</a>');
    });
    await once(stranger.listen(0, '127.0.0.1'), 'listening');
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const origin = `http://127.0.0.1:${port}`;
    const source = { address: `${origin}/api/simple/`, authorization: 'Basic eA==', ...(isOwn && { isOwn }) };
    const gateway = createIndexGateway(createGuardedFetch(['127.0.0.1']));
    using opened = await gateway.open(source);
    const statusOf = async (address: string) => (await fetch(address)).status;
    const page = await (await fetch(`${opened.address}alpha/`)).text();
    const link = new URL(/href="([^"]+)"/.exec(page)?.[1] ?? '', opened.base).href;
    expect(withoutProof(link)).toBe(`${opened.base}/api/files/alpha-1.whl?as=raw#sha256=1`);
    expect(await statusOf(link)).toBe(200);
    expect(await statusOf(link.replace('.whl', '.whl.metadata'))).toBe(200);
    expect(asked).toEqual(
      ['/api/simple/alpha/', '/api/files/alpha-1.whl?as=raw', '/api/files/alpha-1.whl.metadata?as=raw'].map(
        (place) => `${place} Basic eA==`,
      ),
    );

    asked.length = 0;
    using other = await gateway.open(source);
    for (const address of [
      `${opened.base}/api/variables`,
      `${opened.base}/api/simple-not`,
      `${opened.address}../variables`,
      `${opened.address}%2e%2e/variables`,
      `${opened.address}..%2fvariables`,
      withoutProof(link),
      link.replace('files/alpha-1.whl', 'variables'),
      link.replace('as=raw', 'as=other'),
      link.replace(opened.base, other.base),
    ])
      expect(await statusOf(address), address).toBe(404);
    const elsewhere = (address: string) =>
      fetch(`${opened.base}/_elsewhere/${Buffer.from(address).toString('base64url')}/x`);
    await elsewhere(`${origin}/api/variables`);
    expect(asked).toEqual(isOwn ? ['/api/variables undefined'] : []);
    const strange = await elsewhere(`http://127.0.0.1:${(stranger.address() as AddressInfo).port}/beta/`);
    if (isOwn)
      for (const [, href = ''] of (await strange.text()).matchAll(/href="([^"]+)"/g))
        await fetch(new URL(href, opened.base));
    expect(asked.every((one) => one.endsWith(' undefined'))).toBe(true);
    stranger.close();
    server.close();
  },
);

test('rewriting a page with many links does not block the event loop', async () => {
  const page = '<a href=a>'.repeat(500_000);
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end(page);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const source = { address: `http://127.0.0.1:${port}/simple`, authorization: null, isOwn: true } as const;
  using opened = await createIndexGateway(createGuardedFetch(['127.0.0.1'])).open(source);
  let turns = 0;
  const others = setInterval(() => (turns += 1), 5);
  const result = await (await fetch(`${opened.address}/x/`)).text();
  clearInterval(others);
  expect(result.match(/<a href="[^"]+\/a">/g)).toHaveLength(500_000);
  expect(turns).toBeGreaterThan(50);
  server.close();
});

test('returns 502 for a page longer than any index', async () => {
  let closed: Promise<unknown> = Promise.resolve();
  let sent = 0;
  const server = createServer((_request, response) => {
    closed = once(response, 'close');
    response.setHeader('content-type', 'text/html');
    const chunk = Buffer.alloc(2 ** 20, 'x');
    const send = () => {
      while (!response.destroyed && response.write(chunk)) sent += 1;
      sent += 1;
    };
    response.on('drain', send);
    send();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const source = { address: `http://127.0.0.1:${port}/simple`, authorization: null, isOwn: true } as const;
  using opened = await createIndexGateway(createGuardedFetch(['127.0.0.1'])).open(source);
  expect((await fetch(`${opened.address}/alpha/`)).status).toBe(502);
  await closed;
  expect(sent).toBeLessThan(200);
  server.close();
});
