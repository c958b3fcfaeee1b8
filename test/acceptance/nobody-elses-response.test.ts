// Covers every address that is read: whatever credentials are sent right after an administrator has read it, the response
// is that of the person whose credentials count, or a refusal.
import { type Endpoint, operations } from '@pressroom/api/contract';
import {
  makeArchive,
  publish,
  PYTHON_API,
  startTestServer,
  type CallResponse,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PAGES } from '../../packages/server/src/dashboard/routes.ts';
import { claimed } from './sign-in/signing.ts';

type Headers = Readonly<Record<string, string>>;
interface Credentials {
  readonly key: string;
  readonly session: string;
}

/** Nothing depends on the time: a response of the same person is the same. */
const clock = { now: () => Date.UTC(2030, 0, 1) * 1000 };
const RECEIVED = (Object.values(operations) as Endpoint[]).filter(({ method }) => method === 'GET');
/** It takes seconds; and what it offers is new each time. */
const EXCEPT = ['/server-check', '/account/authenticator'];
const ADDRESSES = [
  ...RECEIVED.map(({ path }) => `/__api__${path}`),
  ...PAGES.filter(([path]) => !EXCEPT.includes(path)).map(
    ([path]) => `/__dashboard__${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  ),
  '/__api__/v1/audit_logs/export',
  '/__dashboard__/audit/export',
  '/__dashboard__/content/{guid}/thumbnail',
  '/content/{guid}/',
  '/content/{guid}/big.txt',
  '/content/{guid}/__thumbnail__',
  '/content/{guid}/_bundle1/',
  '/content/{guid}/_rev1/',
  '/named/',
];

let server: TestServer;
let admin: Person;
let viewer: Person;
const of: Record<'admin' | 'viewer', Credentials> = {
  admin: { key: '', session: '' },
  viewer: { key: '', session: '' },
};
let token = '';
const ids = { guid: '', user: '', group: '', bundle: '', task: '' };

beforeAll(async () => {
  server = await startTestServer({ clock });
  admin = await server.administrator();
  viewer = await server.person('viewer');
  const files = { 'index.html': 'for few', 'big.txt': 'x'.repeat(400_000) };
  const metadata = { appmode: 'static', primary_html: 'index.html' };
  const fields = { name: 'secret', access_type: 'acl' };
  const made = await publish(admin, files, { metadata, fields });
  ids.guid = made.guid;
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  await admin.call('PUT', `/v1/content/${made.guid}/thumbnail`, {
    raw: Buffer.concat([png, Buffer.alloc(40)]),
  });
  await admin.call('PUT', `/v1/content/${made.guid}/vanity`, { body: { path: '/named/' } });
  ids.group = (await admin.call('POST', '/v1/groups', { body: { name: 'team' } })).body.guid;
  ids.bundle = (await admin.call('GET', `/v1/content/${made.guid}/bundles`)).body[0].id;
  const raw = makeArchive({ 'index.html': 'draft' }, metadata);
  const bundle_id = (await admin.call('POST', `/v1/content/${made.guid}/bundles`, { raw })).body.id;
  ids.task = (
    await admin.call('POST', `/v1/content/${made.guid}/deploy`, { body: { bundle_id } })
  ).body.task_id;
  await admin.call('GET', `/v1/tasks/${ids.task}?wait=20`);
  for (const [name, person] of [
    ['admin', admin],
    ['viewer', viewer],
  ] as const) {
    const body = { username: person.username, password: 'correct horse' };
    const { headers } = await server.anonymous('POST', '//__login__', { body });
    const session = /pressroom-session=([^;]+)/.exec(headers.getSetCookie().join('\n'))?.[1] ?? '';
    of[name] = { key: person.key, session };
  }
  ({ token } = await claimed(server, admin));
});
afterAll(() => server[Symbol.asyncDispose]());

function addressOf(pattern: string): string {
  const guid = /\/users\//.test(pattern) ? admin.guid : /\/groups\//.test(pattern) ? ids.group : ids.guid;
  const id = /\/tasks\//.test(pattern) ? ids.task : /\/bundles\//.test(pattern) ? ids.bundle : '1';
  const query = /summary/.test(pattern)
    ? '?from=2030-01-01&to=2030-01-02'
    : /remote/.test(pattern)
      ? '?prefix=a'
      : '';
  return (
    pattern
      .replaceAll(/\{(\w*guid)\}/g, guid)
      .replaceAll('{id}', id)
      .replaceAll('{key}', 'default')
      .replaceAll('{mode}', 'static') + query
  );
}

const withKey = ({ key }: Credentials): Headers => ({ authorization: `Key ${key}` });
const withSession = ({ session }: Credentials): Headers => ({ cookie: `pressroom-session=${session}` });

/** Only what differs between people: not the token of a session. */
const seen = ({ status, headers, bytes }: CallResponse) => ({
  status,
  type: headers.get('content-type'),
  text: bytes.toString().replaceAll(/[\w-]{43}/g, ''),
});
const isRefusal = ({ status }: CallResponse) => [302, 303, 401, 403].includes(status);

/** Whose response is expected; the others may be refused instead. */
const WAYS: readonly (readonly [what: string, whose: 'nobody' | 'viewer', headers: () => Headers])[] = [
  ['an empty Authorization', 'nobody', () => ({ authorization: '' })],
  ['an empty key', 'nobody', () => ({ authorization: 'Key ' })],
  ['the key with another scheme', 'nobody', () => ({ authorization: `Bearer ${of.admin.key}` })],
  [
    'the key in another header',
    'nobody',
    () => ({ 'x-api-key': of.admin.key, 'x-auth-token': of.admin.key }),
  ],
  ['the key as session', 'nobody', () => ({ cookie: `pressroom-session=${of.admin.key}` })],
  ['the session as key', 'nobody', () => ({ authorization: `Key ${of.admin.session}` })],
  ['the session as that of content', 'nobody', () => ({ cookie: `pressroom-content=${of.admin.session}` })],
  ['the token as session', 'nobody', () => ({ cookie: `pressroom-session=token ${token}` })],
  ['the token without a signature', 'nobody', () => ({ 'x-auth-token': token })],
  [
    'two sessions',
    'nobody',
    () => ({ cookie: `pressroom-session=${of.admin.session}; pressroom-session=x` }),
  ],
  ['two keys', 'nobody', () => ({ authorization: `Key x, Key ${of.admin.key}` })],
  [
    'the name of the administrator',
    'nobody',
    () => ({
      'x-forwarded-user': admin.username,
      'remote-user': admin.username,
      'shiny-server-credentials': `{"user":"${admin.username}"}`,
    }),
  ],
  [
    'a condition',
    'nobody',
    () => ({ 'if-none-match': '*', 'if-modified-since': new Date(4e12).toUTCString() }),
  ],
  ['a range', 'nobody', () => ({ range: 'bytes=0-9' })],
  ['a key', 'viewer', () => withKey(of.viewer)],
  [
    'a key, and the session of the administrator',
    'viewer',
    () => ({ ...withKey(of.viewer), ...withSession(of.admin) }),
  ],
  [
    'a key, and the token of the administrator',
    'viewer',
    () => ({ ...withKey(of.viewer), 'x-auth-token': token }),
  ],
  ['a key in capitals', 'viewer', () => ({ authorization: `KEY   ${of.viewer.key}` })],
  ['a condition', 'viewer', () => ({ ...withKey(of.viewer), 'if-none-match': '*' })],
];
const SESSIONS: readonly (readonly [what: string, headers: () => Headers])[] = [
  ['a session', () => withSession(of.viewer)],
  ['a session and an empty Authorization', () => ({ ...withSession(of.viewer), authorization: '' })],
  [
    'a session and the token of the administrator',
    () => ({ ...withSession(of.viewer), 'x-auth-token': token }),
  ],
  [
    'a session and another scheme',
    () => ({ ...withSession(of.viewer), authorization: `Basic ${of.admin.key}` }),
  ],
];

describe('right after an administrator has read it, and while one does', () => {
  test.each(ADDRESSES)('%s shows nobody what is not theirs', async (pattern) => {
    const path = `/${addressOf(pattern)}`;
    const isDashboards = pattern.startsWith('/__dashboard__');
    const get = (headers: Headers, method = 'GET') => server.anonymous(method, path, { headers });
    const plain = {
      nobody: await get({}),
      viewer: await get(withKey(of.viewer)),
      session: await get(withSession(of.viewer)),
    };
    // The dashboard is for sessions: a key counts for nothing there.
    const ways = isDashboards
      ? WAYS.filter(([, , headers]) => !('authorization' in headers()) && 'cookie' in headers())
      : WAYS;
    const first = isDashboards ? withSession(of.admin) : withKey(of.admin);
    expect((await get(first)).status).not.toBe(500);
    const checks = [
      ...ways.map(([what, whose, headers]) => ({ what: `${whose}: ${what}`, mine: plain[whose], headers })),
      ...SESSIONS.map(([what, headers]) => ({ what, mine: plain.session, headers })),
    ];
    // At once, so that none gets what is read for another either.
    await Promise.all([
      get(first),
      ...checks.map(async ({ what, mine, headers }) => {
        const response = await get(headers());
        if (!isRefusal(response)) expect({ what, ...seen(response) }).toEqual({ what, ...seen(mine) });
      }),
    ]);
  });
});

test('no proxy in front may keep what an application returns to a person', async () => {
  const app = `def app(environ, start):
    query = environ["QUERY_STRING"]
    start("200 OK", [("Cache-Control", query.replace("+", " "))] if query else [])
    return [b"x"]
`;
  const { guid, path } = await publish(admin, { 'app.py': app }, { metadata: PYTHON_API });
  const kept = async (key: Headers, query: string) =>
    (await server.anonymous('GET', `${path}?${query}`, { headers: key })).headers.get('cache-control');
  const theirs = withKey(of.viewer);
  await admin.call('PATCH', `/v1/content/${guid}`, { body: { access_type: 'logged_in' } });
  expect(await kept({}, '')).toBe('no-store');
  expect(await kept(theirs, '')).toBe('private');
  expect(await kept(theirs, 'public,+max-age=60,+s-maxage=60')).toBe('private, max-age=60');
  expect(await kept(theirs, 'no-store')).toBe('private, no-store');
  await admin.call('PATCH', `/v1/content/${guid}`, { body: { access_type: 'all' } });
  expect(await kept({}, '')).toBeNull();
  expect(await kept({}, 'public,+max-age=60')).toBe('public, max-age=60');
});
