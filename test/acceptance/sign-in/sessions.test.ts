// Covers browser sessions of any provider: their cookies, their duration, and requests that cannot start one.
import { createBrowser, publish, startTestServer, type Browser, type TestServer } from '@pressroom/testkit';
import { describe, expect, test } from 'vitest';
import { ask, NAVIGATION } from '../raw-request.ts';

const ADA = { username: 'ada', email: 'ada@example.com', password: 'correct horse' };
const LOGIN = '//__login__';

/** Starts a server with a fixed clock and one account. */
async function startAt(settings: Parameters<typeof startTestServer>[0] = {}) {
  let now = Date.UTC(2030, 0, 1) * 1000;
  const waits: number[] = [];
  const server = await startTestServer({
    clock: { now: () => (now += 1) },
    pause: async (ms) => void waits.push(ms),
    ...settings,
  });
  await server.anonymous('POST', '/v1/users', { body: ADA });
  return {
    server,
    waits,
    later: (seconds: number) => (now += seconds * 1_000_000),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Over PostgreSQL run only tests about SQL, transactions and several servers. */
const isAlone = process.env.PRESSROOM_TEST_ENGINE !== 'postgres';
async function signedIn({ url }: TestServer) {
  const browser = createBrowser();
  await browser.submit(`${url}/__login__`, { username: ADA.username, password: ADA.password });
  return async () => (await browser.get(`${url}/__api__/v1/user`)).status;
}

if (isAlone) {
  describe('Session cookies', () => {
    const linesOf = async (server: TestServer) =>
      (await server.anonymous('POST', LOGIN, { body: ADA })).headers.getSetCookie();

    test('are HttpOnly and SameSite=Lax', async () => {
      await using at = await startAt();
      const [session, xsrf] = await linesOf(at.server);
      expect(session).toMatch(
        /^pressroom-session=[\w-]{43}; HttpOnly; Path=\/; SameSite=Lax; Max-Age=86400$/,
      );
      expect(xsrf).toMatch(/^RSC-XSRF=[\w-]{43}; HttpOnly; Path=\/; SameSite=Lax; Max-Age=86400$/);
    });

    test.each([
      ['an address of the server', { 'Server.Address': 'https://content.example.com' }, {}],
      ['a trusted proxy', { 'HTTP.TrustProxy': '127.0.0.1' }, { 'X-Forwarded-Proto': 'https' }],
    ])('are Secure and have the __Host- prefix over https, known by %s', async (_by, settings, headers) => {
      await using at = await startAt({ settings });
      const response = await at.server.anonymous('POST', LOGIN, { body: ADA, headers });
      const lines = response.headers.getSetCookie();
      expect(lines.every((line) => line.endsWith('; Secure'))).toBe(true);
      // No other host can set cookies with the __Host- prefix (M1). Programs read the token by its plain name.
      const names = lines.map((line) => line.split('=', 1)[0]);
      expect(names).toEqual(['__Host-pressroom-session', 'RSC-XSRF', '__Host-RSC-XSRF']);
    });

    test('are not read from within the value of another cookie (M1)', async () => {
      await using at = await startAt({ settings: { 'Server.Address': 'https://content.example.com' } });
      const session = (await linesOf(at.server))[0]!.split(';', 1)[0]!;
      const open = async (cookie: string, browser: Record<string, string>) => {
        const headers = { cookie, host: 'content.example.com', ...browser };
        return (await ask(at.server.url, '/__dashboard__/', headers)).status;
      };
      for (const browser of [NAVIGATION, { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' }]) {
        expect(await open(session, browser)).toBe(200);
        for (const cookie of [
          `theme=dark,${session}`,
          `theme=dark, ${session}`,
          `Max-Age=0,${session}`,
          `=,${session}`,
          `theme=,${session.replace('__Host-', '')}`,
          // Browsers take these for other names, which any host below ours can set.
          `\u00A0${session}`,
          `theme=dark; \u00A0${session.replace('__Host-', '')}`,
        ])
          expect(await open(cookie, browser)).toBe(303);
        // Nor does such a cookie hide the real one.
        expect(await open(`theme=dark,__Host-pressroom-session=x; ${session}`, browser)).toBe(200);
        expect(await open(`${session}; \u00A0__Host-pressroom-session=x`, browser)).toBe(200);
      }
      // Some programs send Set-Cookie values back unchanged (interop.md).
      expect(await open(`balancer=1; Path=/,${session}; HttpOnly; Path=/`, {})).toBe(200);
    });
  });

  test('an empty Authorization header counts as none: private content leads to signing in', async () => {
    await using server = await startTestServer({ own: true });
    const fields = { access_type: 'logged_in' };
    const { path } = await publish(await server.person('publisher'), { 'index.html': 'private' }, { fields });
    const headers = { accept: 'text/html', authorization: '' };
    const response = await ask(server.url, path.slice(1), headers);
    expect(response).toMatchObject({
      status: 302,
      headers: { location: expect.stringMatching(/^\/__login__\?/) },
    });
  });

  test('a response to a session is shown to nobody else, with an empty Authorization header either', async () => {
    await using server = await startTestServer({ own: true });
    const people = [await server.administrator(), await server.person('viewer')];
    // As some proxies send it.
    const me = (browser: Browser) =>
      browser.request(`${server.url}/__api__/v1/user`, { headers: { Authorization: '' } });
    for (const { username } of people) {
      const browser = createBrowser();
      await browser.submit(`${server.url}/__login__`, { username, password: ADA.password });
      expect(JSON.parse((await me(browser)).text)).toMatchObject({ username });
    }
    expect((await me(createBrowser())).status).toBe(401);
  });
}

describe('Session lifetime', () => {
  test('a session lasts while it is used, up to its lifetime', async () => {
    await using at = await startAt({
      settings: { 'Authentication.SessionLifetime': 7200, 'Authentication.SessionIdleTimeout': 1800 },
    });
    const visit = await signedIn(at.server);
    for (let i = 0; i < 4; i += 1) {
      at.later(1700);
      expect(await visit()).toBe(200);
    }
    at.later(500);
    expect(await visit()).toBe(401);
  });

  test('a session ends when idle, also across a restart', async () => {
    await using at = await startAt({ settings: { 'Authentication.SessionIdleTimeout': 1800 } });
    const visit = await signedIn(at.server);
    at.later(1801);
    expect(await visit()).toBe(401);
    const browser = createBrowser();
    await browser.submit(`${at.server.url}/__login__`, { username: ADA.username, password: ADA.password });
    const token = browser.cookie(`${at.server.url}/`, 'pressroom-session')!;
    at.later(1000);
    await browser.get(`${at.server.url}/__api__/v1/user`);
    at.later(1000);
    await at.server.restart();
    const visitAgain = () =>
      at.server.anonymous('GET', '/v1/user', { headers: { Cookie: `pressroom-session=${token}` } });
    expect((await visitAgain()).status).toBe(200);
    at.later(1801);
    expect((await visitAgain()).status).toBe(401);
  });

  if (isAlone) {
    test('a session never ends for idleness if the timeout is 0', async () => {
      await using at = await startAt({ settings: { 'Authentication.SessionIdleTimeout': 0 } });
      const visit = await signedIn(at.server);
      at.later(86_000);
      expect(await visit()).toBe(200);
    });
  }

  test('signing out in another browser leaves the session intact', async () => {
    await using at = await startAt();
    const visit = await signedIn(at.server);
    const other = createBrowser();
    await other.submit(`${at.server.url}/__login__`, { username: ADA.username, password: ADA.password });
    expect((await other.api('POST', `${at.server.url}/__logout__`)).status).toBe(200);
    expect(await visit()).toBe(200);
  });

  if (isAlone) {
    test('signing out requires the XSRF header, so that other sites cannot end a session', async () => {
      await using at = await startAt();
      const browser = createBrowser();
      await browser.submit(`${at.server.url}/__login__`, { username: ADA.username, password: ADA.password });
      expect((await browser.submit(`${at.server.url}/__logout__`, {})).status).toBe(403);
      expect((await browser.get(`${at.server.url}/__api__/v1/user`)).status).toBe(200);
    });

    test.each(['cross-site', 'same-site'])('rejects a sign-in form of another site: %s', async (site) => {
      await using at = await startAt();
      const headers = { 'Sec-Fetch-Site': site };
      const response = await at.server.anonymous('POST', LOGIN, { body: ADA, headers });
      expect(response).toMatchObject({ status: 403, body: { code: 92 } });
      expect(response.headers.getSetCookie()).toEqual([]);
    });
  }
});

if (isAlone) {
  describe('Form sent after the session ended', () => {
    /** Submits a form from a page that was left open overnight. */
    async function leave(at: Awaited<ReturnType<typeof startAt>>) {
      const { url } = at.server;
      const browser = createBrowser();
      const enter = (next = '/') =>
        browser.submit(`${url}/__login__`, { username: ADA.username, password: ADA.password, next });
      await enter();
      const xsrf = browser.cookie(`${url}/`, 'RSC-XSRF')!;
      at.later(86_401);
      const send = (path: string, fields = {}) =>
        browser.submit(`${url}/__dashboard__${path}`, { xsrf, ...fields });
      return { browser, enter, send };
    }

    test('changes nothing, and shows one notice after the sign-in', async () => {
      await using at = await startAt();
      const { browser, enter, send } = await leave(at);
      const sent = await send('/keys', { name: 'laptop' });
      expect([sent.status, sent.headers.get('location')]).toEqual([
        303,
        '/__login__?next=%2F__dashboard__%2Fkeys',
      ]);
      const page = await browser.follow(await enter('/__dashboard__/keys'));
      expect(page.text).toContain('Your session had ended before the form was sent. Nothing was changed');
      expect(page.text).not.toContain('laptop');
      expect((await browser.get(page.url)).text).not.toContain('Your session had ended');
    });

    test('signing out does not lead to the sign-in page', async () => {
      await using at = await startAt();
      const { send } = await leave(at);
      const page = await send('/sign-out');
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('<h1>Signed out</h1>')]);
    });
  });

  describe('Form before sign-in, behind a proxy with another host name', () => {
    const PATHS = [
      '/__login__',
      '/__login__/second',
      '/__login__/passkey',
      '/__login__/password',
      '/__setup__',
    ];

    test.each(PATHS)('is accepted from pages of the server only: %s', async (path) => {
      await using at = await startAt({ settings: { 'HTTP.TrustProxy': '127.0.0.1' } });
      const send = async (origin: string) => {
        // Browsers send Origin over plain http, and Apache forwards the host.
        const browser = createBrowser({ Origin: origin, 'X-Forwarded-Host': 'pressroom.example.org' });
        const page = await browser.submit(at.server.url + path, { username: 'ada', password: 'wrong' });
        return page.text.includes('XSRF');
      };
      expect(await send('http://pressroom.example.org')).toBe(false);
      expect(await send('http://other.example.org')).toBe(true);
      expect(await send(at.server.url)).toBe(true);
    });
  });

  test.each([
    '/__login__',
    '/__login__/second',
    '/__login__/passkey',
    '/__login__/password',
    '/__setup__',
    '/__dashboard__/keys',
    '/__dashboard__/sign-out',
  ])('a form with more fields than a page of ours has is refused unread: %s', async (path) => {
    await using at = await startAt();
    const send = (fields: number) =>
      fetch(at.server.url + path, {
        method: 'POST',
        body: 'a&'.repeat(fields - 1),
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
        redirect: 'manual',
      });
    const texts = [];
    for (const fields of [10_000, 10_001]) texts.push(await (await send(fields)).text());
    expect(texts.map((text) => text.includes('a form has at most 10000 fields'))).toEqual([false, true]);
  });
}

describe('Password guessing', () => {
  const guess = (server: TestServer, username: string, address: string, password = 'wrong') =>
    server.anonymous('POST', LOGIN, {
      body: { username, password },
      headers: { 'X-Forwarded-For': address },
    });

  test('is slowed down by address, while the owner signs in from elsewhere', async () => {
    await using at = await startAt({ settings: { 'HTTP.TrustProxy': '127.0.0.1' } });
    for (let i = 0; i < 6; i += 1) {
      expect((await guess(at.server, 'ada', '192.0.2.66')).body).toMatchObject({ code: 30 });
    }
    expect(at.waits).toEqual([1000, 2000]);
    expect((await guess(at.server, 'ada', '192.0.2.1', ADA.password)).status).toBe(200);
    expect(at.waits).toEqual([1000, 2000]);
    expect((await guess(at.server, 'ada', '192.0.2.66', ADA.password)).status).toBe(200);
    expect(at.waits).toEqual([1000, 2000, 4000]);
  });

  if (isAlone) {
    test('does not reveal who has an account: responses and delays are equal', async () => {
      await using at = await startAt();
      const [known, unknown] = [[], []] as unknown[][];
      for (let i = 0; i < 6; i += 1) {
        known!.push((await guess(at.server, 'ada', '')).body);
        unknown!.push((await guess(at.server, 'nobody', '')).body);
      }
      expect(known).toEqual(unknown);
      expect(at.waits).toEqual([1000, 1000, 2000, 2000]);
    });

    test('ignores X-Forwarded-For without a trusted proxy', async () => {
      await using at = await startAt();
      for (let i = 0; i < 6; i += 1) await guess(at.server, 'ada', `192.0.2.${i}`);
      expect(at.waits).toEqual([1000, 2000]);
    });
  }
});

if (isAlone) {
  test('names and redirect targets cannot inject response headers', async () => {
    await using at = await startAt();
    const evil = 'x\r\nSet-Cookie: planted=1\r\n\r\n<script>';
    const browser = createBrowser();
    const refused = await browser.submit(`${at.server.url}/__login__`, {
      username: evil,
      password: evil,
      next: evil,
    });
    expect(refused.status).toBe(401);
    expect(refused.headers.getSetCookie()).toEqual([]);
    expect(refused.text).not.toContain('<script>');
    const page = await browser.get(`${at.server.url}/__login__?next=${encodeURIComponent(evil)}`);
    expect(page.text).not.toContain('planted');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });
}

describe('Sign-in link', () => {
  test('signs in once, within an hour, and not locked users', async () => {
    await using at = await startAt();
    const { server } = at;
    const link = async () => (await server.running.signInLink(ADA.username))!;
    const open = async (url: string) => {
      const browser = createBrowser();
      const { status } = await browser.get(url);
      return [status, (await browser.get(`${server.url}/__api__/v1/user`)).status];
    };
    const first = await link();
    expect(await open(first)).toEqual([303, 200]);
    expect(await open(first)).toEqual([401, 401]);
    const refused = await createBrowser().get(first);
    expect(refused.text).toContain(`<a href="/__login__">Sign in</a>`);
    const late = await link();
    at.later(3601);
    expect(await open(late)).toEqual([401, 401]);
    expect(await open(`${late.slice(0, -2)}AA`)).toEqual([401, 401]);
    expect(await server.running.signInLink('nobody')).toBeNull();
    const locked = await link();
    const { db } = server.running.services.storage;
    await db.updateTable('user_account').set({ locked: 1 }).execute();
    expect(await open(locked)).toEqual([403, 401]);
  });
});
