// Covers OAuth2 with OpenID Connect, with the package oidc-provider.
import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ERRORS } from '@pressroom/api/contract';
import type { Config } from '@pressroom/server';
import {
  createBrowser,
  freePort,
  ownAddress,
  KNOWN_PEOPLE,
  OIDC_CLIENT,
  startOidc,
  startTestServer,
  type Browser,
  type Page,
} from '@pressroom/testkit';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { describeProvider, type Rig } from './conformance.ts';

type Oidc = Awaited<ReturnType<typeof startOidc>>;

async function start(): Promise<Rig & { oidc: Oidc; address: string }> {
  const { address, settings: own } = await ownAddress();
  const oidc = await startOidc(`${address}/__login__/callback`);
  const settings: Partial<Config> = {
    ...own,
    'OAuth2.Issuer': oidc.issuer,
    'OAuth2.ClientId': OIDC_CLIENT,
    'OAuth2.ClientSecret': oidc.clientSecret,
  };
  const come = async (at: string, browser: Browser, visitor: string | null, next: string) => {
    oidc.visitor = visitor;
    return browser.follow(await browser.get(`${at}/__login__?next=${encodeURIComponent(next)}`));
  };
  return {
    oidc,
    address,
    settings,
    // The provider has no session for this browser yet.
    async signIn(at, browser, who, next = '/') {
      browser.forget(oidc.issuer);
      return come(at, browser, `id-${who}`, next);
    },
    fail: (at, browser) => come(at, browser, null, '/'),
    [Symbol.asyncDispose]: () => oidc[Symbol.asyncDispose](),
  };
}

describeProvider('oauth2', {
  start,
  firstUser: 'signs in',
  failure: 98,
  byPassword: false,
  profile: 'of the provider',
  creation: 'pull',
  searched: (who) => KNOWN_PEOPLE[who].email.toUpperCase(),
  groups: 'kept here',
  remoteGroups: false,
});

async function startBoth(more: Partial<Config> = {}) {
  const rig = await start();
  const settings = { 'Authentication.Provider': 'oauth2', ...rig.settings, ...more } as const;
  const logged: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => logged.push(line) });
  const server = await startTestServer({ settings, log });
  const login = `${rig.address}/__login__`;
  return {
    ...rig,
    login,
    lastReason: () => (JSON.parse(logged.at(-1)!) as { why: string }).why,
    /** Signs in at the provider and returns the URL of its response, without opening it. */
    async fetchResponse(browser: Browser, who: string | null, next = '/'): Promise<string> {
      rig.oidc.visitor = who;
      let page: Page = await browser.get(`${login}?next=${encodeURIComponent(next)}`);
      for (;;) {
        const location = new URL(page.headers.get('location')!, page.url).href;
        if (location.startsWith(`${rig.address}/__login__/callback`)) return location;
        page = await browser.get(location);
      }
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rig[Symbol.asyncDispose]();
    },
  };
}

/** Returns the name of the cookie for the attempt of this response. */
function cookieName(response: string): string {
  return `pressroom-sign-in-${hash('sha256', new URL(response).searchParams.get('state')!).slice(0, 12)}`;
}

function cookieOf(browser: Browser, response: string): string | undefined {
  return browser.cookie(response, cookieName(response));
}

test('sends new PKCE, state and nonce values with each request', async () => {
  await using both = await startBoth();
  for (let i = 0; i < 2; i += 1) await createBrowser().follow(await createBrowser().get(both.login));
  const [one, two] = both.oidc.requests;
  expect(one!.get('code_challenge_method')).toBe('S256');
  expect(one!.get('scope')).toBe('openid profile email');
  for (const name of ['code_challenge', 'state', 'nonce']) {
    expect(one!.get(name)!.length).toBeGreaterThanOrEqual(43);
    expect(one!.get(name)).not.toBe(two!.get(name));
  }
});

test('accepts a response once, unchanged, and from the requesting browser only', async () => {
  await using both = await startBoth();
  const alice = createBrowser();
  const response = await both.fetchResponse(alice, 'id-alice');
  // Another browser, first without an attempt of its own, then with one.
  const mallory = createBrowser();
  expect((await mallory.get(response)).status).toBe(401);
  await mallory.get(both.login);
  expect((await mallory.get(response)).status).toBe(401);
  expect(mallory.cookie(both.login, 'pressroom-session')).toBeUndefined();
  const page = await alice.get(response);
  expect([page.status, page.headers.get('location')]).toEqual([303, '/']);
  expect((await alice.get(response)).status).toBe(401);
});

test.each(['state', 'code', 'iss'])('rejects a response with another %s with error 98', async (name) => {
  await using both = await startBoth();
  const browser = createBrowser();
  const response = new URL(await both.fetchResponse(browser, 'id-alice'));
  response.searchParams.set(name, 'https://other.example');
  const page = await browser.get(response.href);
  expect([page.status, page.text]).toEqual([401, expect.stringContaining(ERRORS[98].message)]);
  expect(page.headers.getSetCookie().join()).not.toContain('pressroom-session=');
});

test('rejects a changed or expired attempt cookie with error 99', async () => {
  await using both = await startBoth();
  const browser = createBrowser();
  const response = await both.fetchResponse(browser, 'id-alice');
  const name = cookieName(response);
  const sealed = browser.cookie(both.login, name)!;
  const forged = createBrowser();
  forged.setCookie(both.login, name, `${sealed.slice(0, 40)}AAAA${sealed.slice(44)}`);
  const page = await forged.get(response);
  expect([page.status, page.text]).toEqual([401, expect.stringContaining('sign in again')]);
});

test('simultaneous sign-ins in several tabs each return to their own page', async () => {
  await using both = await startBoth();
  const browser = createBrowser();
  const one = await both.fetchResponse(browser, 'id-alice', '/__dashboard__/keys');
  browser.forget(both.oidc.issuer);
  const two = await both.fetchResponse(browser, 'id-alice', '/__dashboard__/account?x=%25C3');
  const pages = [await browser.get(one), await browser.get(two)];
  expect(pages.map((page) => page.headers.get('location'))).toEqual([
    '/__dashboard__/keys',
    '/__dashboard__/account?x=%25C3',
  ]);
  expect([one, two].map((response) => cookieOf(browser, response))).toEqual([undefined, undefined]);
});

test('a tab whose response is rejected continues with the session of another tab', async () => {
  await using both = await startBoth();
  const browser = createBrowser();
  const refused = new URL(await both.fetchResponse(browser, 'id-alice', '/__dashboard__/keys'));
  refused.searchParams.set('code', 'of a session that is gone');
  expect((await browser.get(refused.href)).status).toBe(401);
  browser.forget(both.oidc.issuer);
  const session = await browser.get(await both.fetchResponse(browser, 'id-alice'));
  expect(session.status).toBe(303);
  const page = await browser.get(refused.href);
  expect([page.status, page.headers.get('location')]).toEqual([303, '/__dashboard__/keys']);
  expect(page.headers.getSetCookie().join()).not.toContain('pressroom-session=');
  // A session from before the attempt does not hide the failure.
  browser.forget(both.oidc.issuer);
  const later = new URL(await both.fetchResponse(browser, 'id-alice'));
  later.searchParams.set('code', 'of a session that is gone');
  expect((await browser.get(later.href)).status).toBe(401);
});

test('simultaneous sign-ins in tabs leave only the session that the browser keeps', async () => {
  await using both = await startBoth();
  const [browser, elsewhere] = [createBrowser(), createBrowser()];
  await elsewhere.get(await both.fetchResponse(elsewhere, 'id-alice'));
  const one = await both.fetchResponse(browser, 'id-alice');
  browser.forget(both.oidc.issuer);
  const two = await both.fetchResponse(browser, 'id-alice');
  const whoAmI = async (other: Browser) => (await other.get(`${both.address}/__api__/v1/user`)).status;
  // Both responses are sent before either tab has its session.
  const lost = createBrowser();
  for (const response of [one, two])
    lost.setCookie(both.login, cookieName(response), cookieOf(browser, response)!);
  await lost.get(one);
  expect(await whoAmI(lost)).toBe(200);
  await browser.get(two);
  expect([await whoAmI(lost), await whoAmI(browser), await whoAmI(elsewhere)]).toEqual([401, 200, 200]);
});

test('the oldest attempts expire, so that their cookies stay below proxy limits', async () => {
  await using both = await startBoth();
  const browser = createBrowser();
  const responses: string[] = [];
  for (let i = 0; i < 20; i += 1) responses.push(await both.fetchResponse(browser, 'id-alice'));
  const kept = responses
    .map((response) => cookieOf(browser, response))
    .filter((cookie) => cookie !== undefined);
  expect(kept.length).toBeGreaterThan(4);
  expect(kept.join('').length).toBeLessThan(4000);
  expect((await browser.get(responses.at(-1)!)).status).toBe(303);
});

test('returns to a page with a long query, unless it exceeds the cookie limit', async () => {
  await using both = await startBoth();
  const filters = Array.from({ length: 150 }, (_, column) => ({ column }));
  const usual = `/?_inputs_&filters=${encodeURIComponent(JSON.stringify(filters))}`;
  const endless = `/?x=${randomBytes(2500).toString('hex')}`;
  expect([usual.length, endless.length].map((length) => length > 3500)).toEqual([true, true]);
  for (const [next, expected] of [
    [usual, usual],
    [endless, '/'],
  ] as const) {
    const browser = createBrowser();
    const response = await both.fetchResponse(browser, 'id-alice', next);
    expect(cookieOf(browser, response)!.length).toBeLessThan(4000);
    expect((await browser.get(response)).headers.get('location')).toBe(expected);
  }
});

test('a failed sign-in offers another attempt that returns to the same page', async () => {
  await using both = await startBoth();
  const browser = createBrowser();
  const page = await browser.get(await both.fetchResponse(browser, null, '/__dashboard__/keys?a=1&b=2'));
  expect(page.status).toBe(401);
  expect(page.text).toContain('href="/__login__?next=%2F__dashboard__%2Fkeys%3Fa%3D1%26b%3D2"');
});

test('accepts only verified addresses of the allowed domains, and returns error 60 to others', async () => {
  await using both = await startBoth({ 'OAuth2.AllowedDomains': 'corp.example' });
  const come = async (claims: Record<string, unknown>) => {
    both.oidc.claims['id-alice'] = claims;
    const browser = createBrowser();
    return browser.get(await both.fetchResponse(browser, 'id-alice'));
  };
  for (const claims of [
    { email: 'alice@other.example' },
    { email: 'alice@corp.example.evil.example' },
    { email_verified: false },
    { email_verified: 'true' },
    { email: undefined },
  ]) {
    const page = await come(claims);
    expect([claims, page.status, page.text]).toEqual([
      claims,
      400,
      expect.stringContaining(ERRORS[60].message),
    ]);
  }
  expect((await come({ email: 'alice@CORP.example' })).status).toBe(303);
});

/** The first person creates an account for Bob's address. Returns its GUID. */
async function inviteBob(both: Awaited<ReturnType<typeof startBoth>>): Promise<string> {
  const alice = createBrowser();
  await alice.get(await both.fetchResponse(alice, 'id-alice'));
  const api = async (method: string, path: string, body?: unknown) =>
    JSON.parse((await alice.api(method, `${both.address}/__api__${path}`, body)).text);
  const [found] = (await api('GET', '/v1/users/remote?prefix=bob@corp.example')).results;
  return (await api('PUT', '/v1/users', { temp_ticket: found.temp_ticket })).guid;
}

test('an account created for an address requires a verified address', async () => {
  await using both = await startBoth();
  const guid = await inviteBob(both);
  const meet = async (id: string, claims: Record<string, unknown>) => {
    both.oidc.claims[id] = claims;
    const browser = createBrowser();
    await browser.get(await both.fetchResponse(browser, id));
    return JSON.parse((await browser.get(`${both.address}/__api__/v1/user`)).text);
  };
  const stranger = { preferred_username: 'stranger', email: 'bob@corp.example', email_verified: false };
  expect((await meet('id-stranger', stranger)).guid).not.toBe(guid);
  expect(await meet('id-bob', {})).toMatchObject({ guid, username: 'bob', first_name: 'Bob' });
  // From now on identified by the provider's id, whatever the address.
  expect(await meet('id-bob', { email: 'robert@corp.example' })).toMatchObject({ guid });
  expect((await meet('id-other', { preferred_username: 'other', email: 'bob@corp.example' })).guid).not.toBe(
    guid,
  );
});

test('nobody gets the account of an address by an ID that reads like it', async () => {
  await using both = await startBoth();
  const guid = await inviteBob(both);
  const unverified = { email: 'mallory@corp.example', email_verified: false };
  for (const address of ['bob@corp.example', 'carol@corp.example']) {
    both.oidc.claims[`email:${address}`] = { preferred_username: 'mallory', ...unverified };
    const mallory = createBrowser();
    expect((await mallory.get(await both.fetchResponse(mallory, `email:${address}`))).status).toBe(401);
  }
  const bob = createBrowser();
  await bob.get(await both.fetchResponse(bob, 'id-bob'));
  expect(JSON.parse((await bob.get(`${both.address}/__api__/v1/user`)).text)).toMatchObject({ guid });
});

test('reports a provider that does not respond', async () => {
  const { settings } = await ownAddress();
  await using server = await startTestServer({
    settings: {
      'Authentication.Provider': 'oauth2',
      ...settings,
      'OAuth2.Issuer': `http://127.0.0.1:${await freePort()}`,
      'OAuth2.ClientId': OIDC_CLIENT,
    },
  });
  const page = await createBrowser().get(`${server.url}/__login__`);
  expect([page.status, page.text]).toEqual([401, expect.stringContaining('is not responding')]);
});

test('incomplete metadata of the provider is named in the log, and read again at the next sign-in', async () => {
  let metadata = {};
  const provider = createServer((_request, response) => response.end(JSON.stringify(metadata)));
  await once(provider.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    provider.close();
    provider.closeAllConnections();
  });
  const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  metadata = { issuer, token_endpoint: `${issuer}/token` };
  const { settings } = await ownAddress();
  const lines: string[] = [];
  await using server = await startTestServer({
    settings: {
      'Authentication.Provider': 'oauth2',
      ...settings,
      'OAuth2.Issuer': issuer,
      'OAuth2.ClientId': OIDC_CLIENT,
    },
    log: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }),
  });
  expect((await createBrowser().get(`${server.url}/__login__`)).status).toBe(401);
  expect(lines.join('')).toContain('has no authorization_endpoint, jwks_uri');
  metadata = { ...metadata, authorization_endpoint: `${issuer}/authorize`, jwks_uri: `${issuer}/keys` };
  const page = await createBrowser().get(`${server.url}/__login__`);
  expect([page.status, page.headers.get('location')]).toEqual([302, expect.stringContaining('/authorize?')]);
});

test('a wrong client secret is not a wrong password: the page sends to an administrator, the log has the reason', async () => {
  await using both = await startBoth({ 'OAuth2.ClientSecret': 'another one' });
  const browser = createBrowser();
  const page = await browser.get(await both.fetchResponse(browser, 'id-alice'));
  expect([page.status, page.text]).toEqual([
    401,
    expect.stringContaining('does not match the settings of this server: ask an administrator'),
  ]);
  expect(page.text).not.toMatch(/invalid_client|credentials/);
  expect(both.lastReason()).toMatch(/invalid_client/);
});

test.each<[string, Partial<Config>, Record<string, unknown>, number, RegExp]>([
  [
    'another domain',
    { 'OAuth2.AllowedDomains': 'other.example' },
    {},
    60,
    /is in none of OAuth2.AllowedDomains/,
  ],
  [
    'an address that is not verified',
    { 'OAuth2.AllowedDomains': 'corp.example' },
    { email_verified: undefined },
    60,
    /does not say that alice@corp.example is verified/,
  ],
  [
    'no address',
    { 'OAuth2.AllowedDomains': 'corp.example' },
    { email: undefined },
    60,
    /claim email is missing/,
  ],
  ['no username', { 'OAuth2.UsernameClaim': 'upn' }, {}, 91, /OAuth2.UsernameClaim is upn, but .*email/],
  ['a name with a quote', {}, { preferred_username: 'o"brien' }, 91, /o\\"brien/],
])('the log says why a person with %s is refused', async (_what, settings, claims, code, why) => {
  await using both = await startBoth(settings);
  both.oidc.claims['id-alice'] = claims;
  const browser = createBrowser();
  const page = await browser.get(await both.fetchResponse(browser, 'id-alice'));
  expect([page.status, page.text]).toEqual([400, expect.stringContaining(ERRORS[code as 60].message)]);
  expect(page.text).toContain('Administrators find the reason in the log');
  expect(both.lastReason()).toMatch(why);
});

test.each([
  ['of another issuer', (issuer: string) => issuer.replace('127.0.0.1', 'localhost'), /another issuer/],
  ['at another address', (issuer: string) => `${issuer}/realm`, /\/realm: .*404/],
])('metadata %s are not reported as a provider that does not respond', async (_what, changed, why) => {
  const both = await start();
  const lines: string[] = [];
  await using server = await startTestServer({
    settings: {
      'Authentication.Provider': 'oauth2',
      ...both.settings,
      'OAuth2.Issuer': changed(both.oidc.issuer),
    },
    log: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }),
  });
  const page = await createBrowser().get(`${server.url}/__login__`);
  expect([page.status, page.text]).toEqual([401, expect.stringContaining('does not match the settings')]);
  expect((JSON.parse(lines.at(-1)!) as { why: string }).why).toMatch(why);
  await both[Symbol.asyncDispose]();
});

test('reports a provider that disappears during sign-in, not a wrong password', async () => {
  await using both = await startBoth();
  const browser = createBrowser();
  const response = await both.fetchResponse(browser, 'id-alice');
  await both.oidc[Symbol.asyncDispose]();
  const page = await browser.get(response);
  expect([page.status, page.text]).toEqual([401, expect.stringContaining('is not responding')]);
  expect(both.lastReason()).toMatch(/ECONNREFUSED/);
});

test.each([
  [{}, 'OAuth2.Issuer, OAuth2.ClientId, Server.Address'],
  [
    { 'OAuth2.Issuer': 'http://idp.example', 'OAuth2.ClientId': 'x', 'Server.Address': 'http://x' },
    'OAuth2.Issuer',
  ],
])('startup fails and names the settings: %j', async (settings, named) => {
  const all = { 'Authentication.Provider': 'oauth2', ...settings } as const;
  await expect(startTestServer({ settings: all })).rejects.toThrow(named);
});
