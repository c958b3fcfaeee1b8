// Covers links of a package index named by content: they also go through the gateway, without its password.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createGuardedFetch } from './guarded-fetch.ts';
import { createIndexGateway } from './index-gateway.ts';

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
  const answer = await (await fetch(`${opened.address}/x/`)).text();
  clearInterval(others);
  expect(answer.match(/<a href="[^"]+\/a">/g)).toHaveLength(500_000);
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
