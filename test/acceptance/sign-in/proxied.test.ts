// Covers proxied authentication, behind a real nginx.
import { ERRORS } from '@pressroom/api/contract';
import {
  caller,
  createBrowser,
  freePort,
  KNOWN_PEOPLE,
  publish,
  PYTHON_API,
  startNginx,
  startTestServer,
  type Person,
} from '@pressroom/testkit';
import { describe, expect, test } from 'vitest';
import { ask } from '../raw-request.ts';
import { describeProvider, type Rig, type Who } from './conformance.ts';

const SECRET = 'what only the proxy knows';
const TRUSTED = { 'Authentication.Provider': 'proxied', 'ProxyAuth.TrustedProxies': '127.0.0.1' } as const;
const PROXIED = { ...TRUSTED, 'ProxyAuth.Secret': SECRET };
/** A browser with the headers of the proxy, including its secret. */
const proven = (headers: Record<string, string>) => createBrowser({ ...headers, 'X-Proxy-Secret': SECRET });

const basic = (who: Who, password: string = KNOWN_PEOPLE[who].password) => ({
  Authorization: `Basic ${Buffer.from(`${who}:${password}`).toString('base64')}`,
});

async function start(headers: string[], settings: Rig['settings']): Promise<Rig> {
  const upstreamPort = await freePort();
  const nginx = await startNginx({
    upstreamPort,
    headers: [`proxy_set_header X-Proxy-Secret "${SECRET}";`, ...headers],
  });
  return {
    settings: {
      'HTTP.Listen': `127.0.0.1:${upstreamPort}`,
      'HTTP.TrustProxy': '127.0.0.1',
      'ProxyAuth.TrustedProxies': '127.0.0.1',
      'ProxyAuth.Secret': SECRET,
      'Server.Address': nginx.url,
      ...settings,
    },
    visible: nginx.url,
    browser: (who) => createBrowser(basic(who)),
    signIn: async (at, browser, _who, next = '/') =>
      browser.follow(await browser.get(`${at}/__login__?next=${encodeURIComponent(next)}`)),
    fail: (at, _browser, who) => createBrowser(basic(who, 'wrong')).get(`${at}/__login__`),
    [Symbol.asyncDispose]: () => nginx[Symbol.asyncDispose](),
  };
}

describeProvider('proxied', {
  start: () => start([], {}),
  firstUser: 'signs in',
  failure: 401,
  byPassword: false,
  profile: 'kept here',
  creation: 'push',
  groups: 'kept here',
  remoteGroups: false,
});

describeProvider('proxied', {
  start: () =>
    start(
      [
        'proxy_set_header X-Id id-$visitor;',
        'proxy_set_header X-Mail $visitor@corp.example;',
        'proxy_set_header X-First $first_name;',
        'proxy_set_header X-Last $last_name;',
        'proxy_set_header X-Groups "Analysts, no name!, Editors";',
      ],
      {
        'ProxyAuth.UniqueIdHeader': 'X-Id',
        'ProxyAuth.EmailHeader': 'X-Mail',
        'ProxyAuth.FirstNameHeader': 'X-First',
        'ProxyAuth.LastNameHeader': 'X-Last',
        'ProxyAuth.GroupsHeader': 'X-Groups',
      },
    ),
  firstUser: 'signs in',
  failure: 401,
  byPassword: false,
  profile: 'of the provider',
  creation: 'push',
  pushed: (who) => ({ unique_id: `id-${who}` }),
  groups: 'of the provider',
  remoteGroups: false,
});

test('creates, joins and leaves groups of the header, and keeps the others', async () => {
  await using server = await startTestServer({
    settings: {
      ...PROXIED,
      'ProxyAuth.GroupsHeader': 'X-Groups',
    },
  });
  const come = async (groups: string) => {
    const browser = proven({
      'X-Auth-Username': 'alice',
      'X-Groups': Buffer.from(groups).toString('latin1'),
    });
    await browser.follow(await browser.get(`${server.url}/__login__`));
    const api = async (path: string) =>
      JSON.parse((await browser.get(`${server.url}/__api__${path}`)).text) as {
        results: never[];
        total: number;
      };
    const { results } = (await api('/v1/groups')) as { results: { name: string; guid: string }[] };
    const joined = [];
    for (const { name, guid } of results) {
      if ((await api(`/v1/groups/${guid}/members`)).total > 0) joined.push(name);
    }
    return joined;
  };
  expect(await come('Analysts, no name!, Editors')).toEqual(['Analysts', 'Editors']);
  expect(await come('Editors')).toEqual(['Editors']);
  expect(await come('')).toEqual([]);
  // The first person is the administrator.
  const page = proven({ 'X-Auth-Username': 'alice', 'X-Groups': '' });
  await page.follow(await page.get(`${server.url}/__login__`));
  const log = await page.get(`${server.url}/__api__/v1/audit_logs?limit=500`);
  const { results } = JSON.parse(log.text) as { results: { action: string; event_description: string }[] };
  const moves = results.filter(({ action }) => action.endsWith('_group_member'));
  expect(moves.map((entry) => entry.event_description.replaceAll(/[0-9a-f-]{36}/g, 'GUID'))).toEqual([
    'Added alice (GUID) to group Analysts (GUID), as the provider says',
    'Added alice (GUID) to group Editors (GUID), as the provider says',
    'Removed user GUID from group Analysts (GUID), as the provider says',
    'Removed user GUID from group Editors (GUID), as the provider says',
  ]);
  // Other groups, whose names read like these: the sign for kelvin, and blanks that are none to HTTP.
  expect(await come('Markets, Editors')).toEqual(['Editors', 'Markets']);
  expect(await come('Mar\u212aets, Editors\u00a0')).toEqual([]);
});

test('ignores the headers of everyone but the trusted proxy, on every path', async () => {
  await using server = await startTestServer({
    settings: {
      'Authentication.Provider': 'proxied',
      'ProxyAuth.TrustedProxies': '192.0.2.1, 198.51.100.0/24',
    },
  });
  const forged = createBrowser({ 'X-Auth-Username': 'alice' });
  const page = await forged.get(`${server.url}/__login__`);
  expect(page.status).toBe(401);
  expect(page.headers.getSetCookie()).toEqual([]);
  expect((await forged.get(`${server.url}/__api__/v1/user`)).status).toBe(401);
});

test('a session ends when the proxy names another user or none', async () => {
  await using server = await startTestServer({
    settings: PROXIED,
  });
  const alice = proven({ 'X-Auth-Username': 'alice' });
  await alice.follow(await alice.get(`${server.url}/__login__`));
  const token = alice.cookie(`${server.url}/`, 'pressroom-session')!;
  const statusWith = async (headers: Record<string, string>) =>
    (await alice.request(`${server.url}/__api__/v1/user`, { headers })).status;
  expect(await statusWith({})).toBe(200);
  expect(await statusWith({ 'X-Auth-Username': 'ALICE' })).toBe(200);
  expect(await statusWith({ 'X-Auth-Username': 'mallory' })).toBe(401);
  expect(await statusWith({ 'X-Auth-Username': 'alice, mallory' })).toBe(401);
  const nobody = proven({});
  nobody.setCookie(`${server.url}/`, 'pressroom-session', token);
  expect((await nobody.get(`${server.url}/__api__/v1/user`)).status).toBe(401);
});

test('content never sees the password that a visitor sent to the proxy', async () => {
  await using server = await startTestServer({
    settings: PROXIED,
  });
  const alice = proven({ 'X-Auth-Username': 'alice', ...basic('alice') });
  await alice.follow(await alice.get(`${server.url}/__login__`));
  const { guid, username } = JSON.parse((await alice.get(`${server.url}/__api__/v1/user`)).text) as Person;
  const { key } = JSON.parse((await alice.api('POST', `${server.url}/__api__/keys`, { name: 'k' })).text) as {
    key: string;
  };
  const echo = `def app(environ, start):
    start("200 OK", [("Content-Type", "text/plain")])
    return [("sees " + environ.get("HTTP_AUTHORIZATION", "nothing")).encode()]
`;
  const person = { guid, username, key, call: caller(() => server.url, key) };
  const content = await publish(person, { 'app.py': echo }, { metadata: PYTHON_API });
  const seen = async (headers: Record<string, string>) =>
    (await fetch(`${server.url}/content/${content.guid}/`, { headers })).text();
  expect(await seen({ 'X-Auth-Username': 'alice', 'X-Proxy-Secret': SECRET, ...basic('alice') })).toBe(
    'sees nothing',
  );
  // Of a program that asks the content itself, without the proxy.
  expect(await seen({ Authorization: 'Basic Y29udGVudA==' })).toBe('sees Basic Y29udGVudA==');
});

test('an invalid name returns error 91, and signing out redirects to the proxy', async () => {
  await using server = await startTestServer({
    settings: {
      ...PROXIED,
      'ProxyAuth.SignOutURL': 'https://proxy.example/sign-out',
    },
  });
  const odd = proven({ 'X-Auth-Username': '../etc' });
  const page = await odd.get(`${server.url}/__login__`);
  expect([page.status, page.text]).toEqual([400, expect.stringContaining('no valid username')]);
  const alice = proven({ 'X-Auth-Username': 'alice' });
  await alice.follow(await alice.get(`${server.url}/__login__`));
  const { text } = await alice.api('POST', `${server.url}/__logout__`);
  expect(JSON.parse(text)).toEqual({ location: 'https://proxy.example/sign-out' });
});

test('a name that only looks like another one does not get its account', async () => {
  await using server = await startTestServer({
    settings: PROXIED,
  });
  const named = (name: string) => ({ 'X-Auth-Username': Buffer.from(name).toString('latin1') });
  const come = async (name: string) => (await proven(named(name)).get(`${server.url}/__login__`)).status;
  expect(await come('mark')).toBe(303);
  // The sign for kelvin: `k` in lower case.
  expect(await come('mar\u212a')).toBe(400);
  expect(await come('MARK')).toBe(303);
  // Blanks that are no blanks to HTTP: a provider may have such a name beside the other.
  for (const blank of ['\u00a0', '\u3000', '\ufeff'])
    expect([await come(`mark${blank}`), await come(`${blank}mark`)]).toEqual([400, 400]);
  // Nor does its session go on.
  const mark = proven(named('mark'));
  await mark.follow(await mark.get(`${server.url}/__login__`));
  const sees = async (name: string) =>
    (await mark.request(`${server.url}/__api__/v1/user`, { headers: named(name) })).status;
  expect([await sees('MARK'), await sees('mar\u212a'), await sees('mark\u00a0')]).toEqual([200, 401, 401]);
});

test('returns error 90 without an account when registration is turned off', async () => {
  await using server = await startTestServer({
    settings: PROXIED,
  });
  const come = (name: string) => proven({ 'X-Auth-Username': name }).get(`${server.url}/__login__`);
  expect((await come('alice')).status).toBe(303);
  await server.restart({ 'Authentication.RegisterOnFirstLogin': false });
  const page = await come('bob');
  expect([page.status, page.text]).toEqual([400, expect.stringContaining(ERRORS[90].message)]);
});

describe('H3: Content that shares the address of the proxy', () => {
  test('the header requires the secret of the proxy, on every path and upgrade', async () => {
    await using server = await startTestServer({ settings: PROXIED });
    const alice = proven({ 'X-Auth-Username': 'alice' });
    await alice.follow(await alice.get(`${server.url}/__login__`));
    const token = alice.cookie(`${server.url}/`, 'pressroom-session')!;
    for (const secret of [undefined, '', 'guessed guessed guessed', `${SECRET}x`, `${SECRET}, ${SECRET}`]) {
      const content = createBrowser({
        'X-Auth-Username': 'alice',
        ...(secret !== undefined && { 'X-Proxy-Secret': secret }),
      });
      const page = await content.get(`${server.url}/__login__`);
      expect([page.status, page.headers.getSetCookie()], String(secret)).toEqual([401, []]);
      content.setCookie(`${server.url}/`, 'pressroom-session', token);
      expect((await content.get(`${server.url}/__api__/v1/user`)).status).toBe(401);
    }
    expect((await alice.get(`${server.url}/__api__/v1/user`)).status).toBe(200);
  });

  test.each(['127.0.0.1', '::1', '127.0.0.9', '192.0.2.1, 127.0.0.0/8', '0.0.0.0/0', '2001:db8::1, ::/0'])(
    'startup fails without the secret if %s is trusted, and names the setting',
    async (trusted) => {
      const settings = { 'Authentication.Provider': 'proxied', 'ProxyAuth.TrustedProxies': trusted } as const;
      await expect(startTestServer({ settings })).rejects.toThrow(/ProxyAuth\.Secret must be set/);
      await expect(
        startTestServer({ settings: { ...settings, 'ProxyAuth.Secret': 'short' } }),
      ).rejects.toThrow(/ProxyAuth\.Secret must have at least 16/);
    },
  );

  test('needs no secret for a remote proxy, or when content has no network', async () => {
    for (const settings of [
      { 'Authentication.Provider': 'proxied', 'ProxyAuth.TrustedProxies': '192.0.2.1' } as const,
      { ...TRUSTED, 'Applications.NetworkAccess': false, 'Isolation.Mode': 'required' } as const,
    ]) {
      const starting = startTestServer({ settings });
      await starting.then(
        (server) => server[Symbol.asyncDispose](),
        // If content cannot be isolated, the error says so instead.
        (error: Error) => expect(error.message).not.toContain('ProxyAuth.Secret'),
      );
    }
  });
});

test.each([
  ['an origin for each item', 'http://*.content.test', 'http://{label}.content.test'],
  ['one origin for all content', 'http://content.test', 'http://content.test'],
])('a forged X-Forwarded-Host does not let content sign visitors in: %s', async (_what, address, origin) => {
  await using server = await startTestServer({
    settings: {
      'Authentication.Provider': 'proxied',
      'HTTP.TrustProxy': '127.0.0.1',
      'ProxyAuth.TrustedProxies': '127.0.0.1',
      'ProxyAuth.Secret': SECRET,
      'Server.Address': 'http://pressroom.test',
      'Server.ContentAddress': address,
    },
  });
  const { host } = new URL(origin.replace('{label}', `c${'0'.repeat(32)}`));
  // The proxy sends the user for hosts of content, too.
  const asked = (headers: Record<string, string>) =>
    ask(server.url, '/__login__', {
      'X-Auth-Username': 'ada',
      'X-Auth-Email': '',
      'X-Proxy-Secret': SECRET,
      ...headers,
    });
  for (const claimed of ['pressroom.test', 'pressroom.test, proxy.test', `pressroom.test, ${host}`]) {
    const response = await asked({ host, 'X-Forwarded-Host': claimed });
    expect(response.status).toBe(404);
    expect(response.headers).not.toHaveProperty('set-cookie');
  }
  const appended = await asked({ host: '127.0.0.1', 'X-Forwarded-Host': `pressroom.test, ${host}` });
  expect(appended.status).toBe(404);
  // A proxy that uses another host name passes the requested one in this header.
  expect((await asked({ host: 'pressroom.test' })).status).toBe(303);
  const renamed = await asked({ host: '127.0.0.1:3939', 'X-Forwarded-Host': 'pressroom.test' });
  expect(renamed.status).toBe(303);
});
