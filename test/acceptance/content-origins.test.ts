// Covers a separate origin for each content item: who gets what where, and how a session is transferred (M1, M8, M9, M10).
import { once } from 'node:events';
import {
  finishedTask,
  makeArchive,
  publish,
  startTestServer,
  type Person,
  type Published,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { ASGI, asgi } from '../runtime/python-content.ts';
import * as handedOver from './hand-over.ts';
import { ask, cookiesOf, NAVIGATION } from './raw-request.ts';
import { cookiesOn, openTabs } from './tabs.ts';

let server: TestServer;
let owner: Person;
let viewer: Person;
let open: Published;
let closed: Published;
let app: Published;
beforeAll(async () => {
  server = await startTestServer({ settings: { 'Scheduler.IdleTimeout': 600 } });
  owner = await server.person('publisher');
  viewer = await server.person('viewer');
  const files = { 'index.html': '<h1>Hello</h1>' };
  open = await publish(owner, files);
  closed = await publish(owner, files, { fields: { access_type: 'logged_in' } });
  const echo = { '/': 'answer = headers' };
  app = await publish(owner, asgi(echo), { metadata: ASGI, fields: { access_type: 'logged_in' } });
});
afterAll(() => server[Symbol.asyncDispose]());

const label = handedOver.labelOf;
const { cookieHeader } = handedOver;
const originOf = (content: Published) => handedOver.originOf(server.url, content);
const pathOf = ({ guid }: Published) => `/content/${guid}/`;
const signIn = (person: Person) => handedOver.signIn(server.url, person);
const handOver = (content: Published, session: Record<string, string>) =>
  handedOver.handOver(server.url, content, session);
const visitorOf = (content: Published, person: Person) => handedOver.visitorOf(server.url, content, person);

describe('On the server’s own address', () => {
  test('a request with a key gets the content without a redirect, even with browser headers', async () => {
    for (const headers of [{}, NAVIGATION]) {
      const response = await ask(server.url, pathOf(closed), {
        ...headers,
        authorization: `Key ${viewer.key}`,
      });
      expect(response).toMatchObject({ status: 200, text: '<h1>Hello</h1>' });
      expect(response.headers).not.toHaveProperty('content-security-policy');
    }
  });

  test('a program without a key gets public content in a sandbox without an origin (M10)', async () => {
    const response = await ask(server.url, pathOf(open));
    expect(response).toMatchObject({ status: 200, text: '<h1>Hello</h1>' });
    const policy = response.headers['content-security-policy'];
    expect(policy).toMatch(/^sandbox allow-scripts/);
    expect(policy).not.toContain('allow-same-origin');
    expect((await ask(server.url, `${pathOf(open)}nowhere`)).headers['content-security-policy']).toBe(policy);
  });

  test('other credentials that browsers send automatically do not count as a key (M10)', async () => {
    const authorization = `Basic ${btoa('me:secret')}`;
    const response = await ask(server.url, pathOf(open), { authorization });
    expect(response.headers['content-security-policy']).toMatch(/^sandbox/);
    expect((await ask(server.url, pathOf(open), { ...NAVIGATION, authorization })).status).toBe(307);
  });

  test('a session does not open content, so its pages cannot use the cookie (M10)', async () => {
    const cookie = cookieHeader(await signIn(viewer));
    for (const site of ['same-origin', 'same-site', 'cross-site']) {
      const headers = { cookie, 'sec-fetch-site': site, 'sec-fetch-mode': 'cors' };
      expect((await ask(server.url, pathOf(closed), headers)).status).toBe(401);
    }
    expect((await ask(server.url, pathOf(closed), { cookie })).status).toBe(401);
    expect((await ask(server.url, pathOf(app), { cookie }, 'POST')).status).toBe(401);
  });

  test.each([
    [NAVIGATION],
    // Browsers send no Sec-Fetch-* headers over plain http.
    [{ accept: 'text/html', 'upgrade-insecure-requests': '1' }],
  ])('redirects a browser to the origin of the content: %j', async (headers) => {
    const response = await ask(server.url, `${pathOf(open)}a/b?c=d`, headers);
    expect(response.status).toBe(307);
    expect(response.headers.location).toBe(`${originOf(open)}${pathOf(open)}a/b?c=d`);
    expect((await ask(server.url, pathOf(open), headers, 'POST')).status).not.toBe(307);
  });

  test('vanity paths redirect to that origin, too', async () => {
    const body = { path: '/team/report/' };
    await owner.call('PUT', `/v1/content/${open.guid}/vanity`, { body });
    const response = await ask(server.url, '/Team/report/x', NAVIGATION);
    expect(response.headers.location).toBe(`${originOf(open)}/Team/report/x`);
    expect((await ask(originOf(open), '/team/report/')).text).toBe('<h1>Hello</h1>');
    await owner.call('DELETE', `/v1/content/${open.guid}/vanity`);
  });
});

describe('On the origin of the content', () => {
  test('public content is served to everyone without a sandbox', async () => {
    const response = await ask(originOf(open), pathOf(open));
    expect(response).toMatchObject({ status: 200, text: '<h1>Hello</h1>' });
    expect(response.headers).not.toHaveProperty('content-security-policy');
  });

  test('serves no API, no dashboard and no other content', async () => {
    for (const path of ['/__api__/v1/user', '/__dashboard__/', '/__login__', '/__ping__', pathOf(closed)])
      expect((await ask(originOf(open), path)).status, path).toBe(404);
    expect((await ask(originOf(open), pathOf(closed), NAVIGATION)).headers.location).toBe(
      `${originOf(closed)}${pathOf(closed)}`,
    );
    expect((await ask(originOf(open), '/', NAVIGATION)).headers.location).toBe(`${server.url}/`);
    const nobody = originOf(open).replace(label(open), 'c123');
    expect((await ask(nobody, pathOf(open))).status).toBe(404);
  });

  test('a draft of public content opens for collaborators; others must sign in', async () => {
    const upload = { raw: makeArchive({ 'index.html': '<h1>Draft</h1>' }) };
    const { id } = (await owner.call('POST', `/v1/content/${open.guid}/bundles`, upload)).body;
    const body = { bundle_id: id, activate: false, preview: 'next' };
    const { task_id } = (await owner.call('POST', `/v1/content/${open.guid}/deploy`, { body })).body;
    expect(await finishedTask(owner, task_id)).toMatchObject({ code: 0 });
    for (const path of [`${pathOf(open)}_bundle${id}/`, `${pathOf(open)}_preview/next/`]) {
      const first = await ask(server.url, path, NAVIGATION);
      expect(first.headers.location).toBe(originOf(open) + path);
      const refused = await handedOver.follow(first);
      const begun = await handedOver.follow({
        ...refused,
        headers: { location: originOf(open) + refused.headers.location! },
      });
      const sent = await handedOver.follow(begun);
      expect(sent.headers.location).toContain('/__login__?next=');
      const [seen, hidden] = [await visitorOf(open, owner), await visitorOf(open, viewer)];
      const visit = ({ cookie }: { cookie: string }) => ask(originOf(open), path, { ...NAVIGATION, cookie });
      expect(await visit(seen)).toMatchObject({ status: 200, text: '<h1>Draft</h1>' });
      expect((await visit(hidden)).status).toBe(403);
    }
    expect((await ask(originOf(open), pathOf(open))).text).toBe('<h1>Hello</h1>');
  });

  test('the server’s session cookie is not accepted', async () => {
    const cookie = cookieHeader(await signIn(viewer));
    expect((await ask(originOf(closed), pathOf(closed), { cookie })).status).toBe(401);
  });

  test('the handed-over session cookie is valid for this content only', async () => {
    const { taken, cookie } = await visitorOf(closed, viewer);
    expect(taken.headers.location).toBe(`${originOf(closed)}${pathOf(closed)}`);
    expect(taken.headers['set-cookie']![0]).toMatch(
      /^pressroom-content=[\w-]{43}; HttpOnly; Path=\/; SameSite=Lax$/,
    );
    const there = { ...NAVIGATION, cookie };
    expect((await ask(originOf(closed), pathOf(closed), there)).status).toBe(200);
    expect((await ask(originOf(app), pathOf(app), there)).status).toBe(302);
    expect((await ask(server.url, '/__dashboard__/', there)).status).toBe(303);
    expect((await ask(server.url, '/__api__/v1/user', { cookie })).status).toBe(401);
  });

  test('of deleted content, a signed-in visitor is told that nothing is published there', async () => {
    const gone = await publish(owner, { 'index.html': 'gone' });
    await owner.call('DELETE', `/v1/content/${gone.guid}`);
    const { nonce, take } = await handOver(gone, await signIn(viewer));
    const response = await take(nonce);
    expect(response.status).toBe(404);
    expect(response.text).toContain('Nothing is published here');
  });

  test('a ticket works once, and only in the browser that requested it', async () => {
    const session = await signIn(viewer);
    const good = await handOver(closed, session);
    expect((await good.take(good.nonce)).status).toBe(302);
    expect((await good.take(good.nonce)).headers).not.toHaveProperty('set-cookie');
    for (const other of [{}, { 'pressroom-handover': 'x'.repeat(43) }]) {
      const { take, nonce } = await handOver(closed, session);
      const refused = await take(other as Record<string, string>);
      expect(refused.headers['set-cookie'] ?? []).toEqual([]);
      expect((await take(nonce)).headers['set-cookie'] ?? []).toEqual([]);
    }
    const { given, nonce } = await handOver(closed, session);
    const elsewhere = given.headers.location!.replace(label(closed), label(app));
    const { pathname, search, origin } = new URL(elsewhere);
    const moved = await ask(origin, pathname + search, { ...NAVIGATION, cookie: cookieHeader(nonce) });
    expect(moved.headers['set-cookie'] ?? []).toEqual([]);
  });

  test('of two pages opened at once, the second uses the session of the first', async () => {
    const session = await signIn(viewer);
    const [first, second] = [await handOver(closed, session), await handOver(closed, session)];
    const cookies = cookiesOf(await first.take(first.nonce));
    const taken = await second.take(cookies);
    expect([taken.status, taken.headers.location]).toEqual([302, `${originOf(closed)}${pathOf(closed)}`]);
    expect(taken.headers['set-cookie'] ?? []).toEqual([]);
  });

  test('a ticket of another browser is rejected, and the visitor requests one of their own', async () => {
    const { given } = await handOver(app, await signIn(viewer));
    const foreign = given.headers.location!;
    const led = await handedOver.follow(given);
    expect(led.status).toBe(302);
    expect(led.headers).not.toHaveProperty('set-cookie');
    const to = new URL(led.headers.location!);
    expect(to.origin).toBe(originOf(app));
    expect(Object.fromEntries(to.searchParams)).toEqual({ next: pathOf(app), from: '127.0.0.1', again: '1' });

    const here = { server: server.url };
    const session = await signIn(owner);
    const [mine] = await openTabs([foreign], { ...here, cookies: cookiesOn('127.0.0.1', session) });
    expect(JSON.parse(JSON.parse(mine!.text)['rstudio-connect-credentials']).user).toBe(owner.username);
    const [nobodys] = await openTabs([foreign], { ...here, cookies: [] });
    expect([nobodys!.status, new URL(nobodys!.url).pathname]).toEqual([200, '/__login__']);
    const told = { status: 401, text: expect.stringContaining('opened in another browser or already used') };
    const cookies = cookiesOn('127.0.0.1', session);
    const again = await openTabs([`${foreign}&again=1`], { ...here, cookies });
    const blocked = await openTabs([foreign], { ...here, cookies, blocked: new URL(originOf(app)).hostname });
    expect([...again, ...blocked]).toMatchObject([told, told]);
  });

  test('a tab reaches its page although another tab replaced the session meanwhile', async () => {
    const first = await signIn(viewer);
    const { take, nonce } = await handOver(closed, first);
    const body = JSON.stringify({ username: viewer.username, password: 'correct horse' });
    const headers = { cookie: cookieHeader(first) };
    const later = await fetch(`${server.url}/__login__`, { method: 'POST', body, headers });
    const token = /pressroom-session=([^;]+)/.exec(later.headers.getSetCookie().join())![1]!;
    const led = await take(nonce);
    const begun = await handedOver.follow(led, nonce);
    const taken = await handedOver.follow(
      await handedOver.follow(begun, { 'pressroom-session': token }),
      nonce,
    );
    expect([led, begun, taken].map(({ status }) => status)).toEqual([302, 302, 302]);
    const shown = await handedOver.follow(taken, cookiesOf(taken));
    expect([shown.status, shown.text]).toEqual([200, '<h1>Hello</h1>']);
  });

  test('rejects a ticket that is invalid or belongs to other content', async () => {
    const { given } = await handOver(closed, await signIn(viewer));
    const ticket = new URL(given.headers.location!).searchParams.get('ticket')!;
    const take = (origin: string, values: Record<string, string>) =>
      ask(origin, `/__content-session__?${new URLSearchParams(values).toString()}`, NAVIGATION);
    for (const [origin, values] of [
      [originOf(closed), { ticket: 'junk', next: pathOf(closed) }],
      [originOf(closed), { ticket, next: pathOf(app) }],
      [originOf(closed), { ticket, next: '//evil.test/' }],
      [originOf(closed), { ticket, next: `https://evil.test${pathOf(closed)}` }],
      [originOf(app), { ticket, next: pathOf(closed) }],
      [originOf(app), { ticket, next: pathOf(app) }],
    ] as const)
      expect((await take(origin, values)).status, JSON.stringify(values)).toBe(401);
  });

  test('leads back to the name that the visitor came from, and to no other host', async () => {
    const { port } = new URL(server.url);
    const begin = async (from: string) => {
      const query = new URLSearchParams({ from, next: pathOf(open) }).toString();
      const { headers } = await ask(originOf(open), `/__content-session__?${query}`, NAVIGATION);
      return new URL(headers.location!).host;
    };
    expect(await begin('127.0.0.1')).toBe(`127.0.0.1:${port}`);
    const forged = ['evil.test', 'evil.test/.localhost', 'evil.test:80/.localhost', 'evil.test#.localhost'];
    for (const from of [...forged, new URL(originOf(app)).hostname])
      expect(await begin(from), from).toBe(`127.0.0.1:${port}`);
  });

  test('issues no ticket to frames or scripts', async () => {
    const session = await signIn(viewer);
    const { begun } = await handOver(closed, session);
    const { pathname, search } = new URL(begun.headers.location!);
    for (const headers of [
      { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
      { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    ]) {
      const response = await ask(server.url, pathname + search, {
        ...headers,
        cookie: cookieHeader(session),
      });
      expect(response.status).toBe(404);
    }
  });

  test.each([
    [
      'signing out',
      async (session: Record<string, string>) => {
        const headers = { cookie: cookieHeader(session), 'x-rsc-xsrf': session['RSC-XSRF']! };
        expect((await ask(server.url, '/__logout__', headers, 'POST')).status).toBe(200);
      },
    ],
    [
      'locking the account',
      async (_session: Record<string, string>, { guid }: Person) => {
        const admin = await server.administrator();
        await admin.call('POST', `/v1/users/${guid}/lock`, { body: { locked: true } });
      },
    ],
  ])('the session ends with %s (M8)', async (_how, end) => {
    const person = await server.person('viewer');
    const { session, cookie } = await visitorOf(closed, person);
    const visit = () => ask(originOf(closed), pathOf(closed), { cookie, 'sec-fetch-site': 'same-origin' });
    expect((await visit()).status).toBe(200);
    const { take, nonce } = await handOver(app, session);
    const own = cookieHeader(cookiesOf(await take(nonce)));
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}${pathOf(app)}`, {
      headers: { host: new URL(originOf(app)).host, origin: originOf(app), cookie: own },
    });
    await once(socket, 'open');
    const isClosed = once(socket, 'close');
    await end(session, person);
    expect((await visit()).status).toBeGreaterThanOrEqual(401);
    await isClosed;
  });

  test.each([
    ['another page', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }, 'GET'],
    [
      'another page’s frame',
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
      'GET',
    ],
    [
      'another page’s form',
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
      'POST',
    ],
    ['another page’s form over plain http', { origin: 'http://evil.test' }, 'POST'],
    ['a request without an origin, over plain http', {}, 'GET'],
    ['a request without an origin, over plain http', {}, 'POST'],
  ])('%s cannot act for the visitor: %j %s (M10)', async (_who, headers, method) => {
    const { cookie } = await visitorOf(app, viewer);
    expect((await ask(originOf(app), pathOf(app), { ...headers, cookie }, method)).status).toBe(401);
    const own = { origin: originOf(app), 'sec-fetch-site': 'same-origin', cookie };
    expect((await ask(originOf(app), pathOf(app), own, method)).status).toBe(200);
  });

  async function socket(at: string, headers: Record<string, string>): Promise<string> {
    const url = `${server.url.replace('http', 'ws')}${pathOf(app)}`;
    const made = new WebSocket(url, { headers: { host: new URL(at).host, ...headers } });
    made.on('error', () => undefined);
    const opened = once(made, 'open').then(() => 'open');
    const refused = once(made, 'unexpected-response').then(([, response]) => String(response.statusCode));
    const result = await Promise.race([opened, refused]);
    made.terminate();
    return result;
  }

  test('a WebSocket requires the Origin header of this origin to act for the visitor (M9)', async () => {
    const { cookie } = await visitorOf(app, viewer);
    const at = originOf(app);
    expect(await socket(at, { cookie, origin: at })).toBe('open');
    expect(await socket(at, { cookie })).toBe('401');
    expect(await socket(at, { cookie, origin: originOf(open) })).toBe('403');
    expect(await socket(at, { cookie, origin: 'null' })).toBe('403');
    expect(await socket(at, { cookie, origin: server.url })).toBe('403');
    expect(await socket(server.url, { authorization: `Key ${viewer.key}` })).toBe('open');
    const session = cookieHeader(await signIn(viewer));
    expect(await socket(server.url, { cookie: session, origin: server.url })).toBe('401');
  });

  test('the application sees this host name and none of the server’s cookies', async () => {
    const { cookie } = await visitorOf(app, viewer);
    const headers = { 'sec-fetch-site': 'same-origin', cookie: `${cookie}; mine=1` };
    const seen = JSON.parse((await ask(originOf(app), pathOf(app), headers)).text);
    expect(seen).toMatchObject({ 'x-forwarded-host': new URL(originOf(app)).host, cookie: 'mine=1' });
    expect(JSON.parse(seen['rstudio-connect-credentials']).user).toBe(viewer.username);
  });
});

describe('Two contradictory session cookies (M1)', () => {
  test('neither is accepted; the one a page may have set is deleted', async () => {
    const [mine, theirs] = [await signIn(viewer), await signIn(owner)];
    const token = (cookies: Record<string, string>) => `pressroom-session=${cookies['pressroom-session']}`;
    const cookie = `${token(theirs)}; ${token(mine)}`;
    const page = await ask(server.url, '/__dashboard__/keys', { ...NAVIGATION, cookie });
    expect(page.status).toBe(303);
    const cleared = page.headers['set-cookie'] ?? [];
    expect(cleared).toContain('pressroom-session=; Path=/__dashboard__; Max-Age=0');
    expect(cleared).not.toContain('pressroom-session=; Path=/; Max-Age=0');
    expect((await ask(server.url, '/__api__/v1/user', { cookie })).status).toBe(401);
    expect(
      (await ask(server.url, '/__api__/v1/user', { cookie: `${token(mine)}; ${token(mine)}` })).status,
    ).toBe(200);
  });
});

test('every response over HTTPS carries Strict-Transport-Security', async () => {
  await using secure = await startTestServer({
    settings: {
      'Server.Address': 'https://pressroom.example.com',
      'Server.ContentAddress': 'https://*.content.example.com',
    },
  });
  const publisher = await secure.person('publisher');
  const page = await publish(publisher, { 'index.html': '<h1>Hello</h1>' });
  const api = await publish(publisher, asgi({ '/': 'answer = 1' }), { metadata: ASGI });
  const main = { host: 'pressroom.example.com' };
  const at = (content: Published) => ({ host: `${label(content)}.content.example.com` });
  for (const [path, headers] of [
    ['/', main],
    ['/__ping__', main],
    ['/__api__/v1/users', main],
    ['/nothing/here', main],
    [pathOf(page), at(page)],
    [pathOf(api), at(api)],
    ['/', at(page)],
  ] as const) {
    const response = await ask(secure.url, path, headers);
    expect(response.headers['strict-transport-security'], path).toBe('max-age=31536000');
  }
  const plain = await ask(server.url, '/__ping__', {});
  expect(plain.headers['strict-transport-security']).toBeUndefined();
});

test.each(['https://*.content.example.com', 'https://content.example.com'])(
  'a vanity path may start with the path of Server.Address at %s',
  async (contentAddress) => {
    await using below = await startTestServer({
      settings: {
        'Server.Address': 'https://example.com/pressroom',
        'Server.ContentAddress': contentAddress,
      },
    });
    const admin = await below.administrator();
    const page = await publish(admin, { 'index.html': '<h1>Hello</h1>' });
    const path = '/pressroom/report/';
    await admin.call('PUT', `/v1/content/${page.guid}/vanity`, { body: { path } });
    const led = await ask(below.url, `/pressroom${path}`, { ...NAVIGATION, host: 'example.com' });
    const { host, pathname } = new URL(led.headers.location!);
    expect([host, pathname]).toEqual([new URL(contentAddress.replace('*', label(page))).host, path]);
    const shown = await ask(below.url, pathname, { ...NAVIGATION, host });
    expect([shown.status, shown.text]).toEqual([200, '<h1>Hello</h1>']);
  },
);
