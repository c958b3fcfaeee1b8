// Covers API calls by pages of other origins with a key, if the settings allow the origin.
import { startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

const EDITOR = 'https://editor.example.com';
const settings = { 'HTTP.AllowedOrigins': `${EDITOR}, https://*.cdn.example.com` };
const ME = '/v1/user';

let server: TestServer;
let owner: Person;

beforeAll(async () => {
  server = await startTestServer({ settings });
  owner = await server.person('publisher');
});
afterAll(() => server[Symbol.asyncDispose]());

const ask = (path: string, origin: string) =>
  server.anonymous('OPTIONS', path, {
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'PATCH',
      'Access-Control-Request-Headers': 'authorization,x-content-checksum',
    },
  });
const allowed = ({ headers }: { readonly headers: Headers }) => headers.get('access-control-allow-origin');

test.each([EDITOR, 'https://a1-b2.cdn.example.com'])(
  'allows a page of %s to call the API',
  async (origin) => {
    const response = await ask(ME, origin);
    expect(response.status).toBe(204);
    expect(allowed(response)).toBe(origin);
    expect(response.headers.get('access-control-allow-methods')).toContain('PATCH');
    expect(response.headers.get('access-control-allow-headers')).toContain('x-content-checksum');
    const { status, headers } = await owner.call('GET', ME, { headers: { Origin: origin } });
    expect(status).toBe(200);
    expect(allowed({ headers })).toBe(origin);
    expect(headers.get('access-control-expose-headers')).toContain('Retry-After');
    expect(headers.get('vary')).toContain('Origin');
  },
);

test('allows pages to read errors, too', async () => {
  const response = await server.anonymous('GET', ME, { headers: { Origin: EDITOR } });
  expect(response).toMatchObject({ status: 401, body: { code: 24 } });
  expect(allowed(response)).toBe(EDITOR);
});

test.each([
  'https://cdn.example.com',
  'https://a.b.cdn.example.com',
  'https://a/.cdn.example.com',
  'https://evil.cdn.example.com.example.org',
  'https://editor.example.com.example.org',
  'https://editor.example.com:8443',
  'http://editor.example.com',
  'null',
])('does not allow a page of %s', async (origin) => {
  expect(allowed(await ask(ME, origin))).toBe(null);
  expect(allowed(await owner.call('GET', ME, { headers: { Origin: origin } }))).toBe(null);
});

test('a response allows only the origin of its own request', async () => {
  for (const origin of [EDITOR, 'https://a.cdn.example.com', 'https://example.org', EDITOR]) {
    const response = await owner.call('GET', ME, { headers: { Origin: origin } });
    expect(allowed(response)).toBe(origin === 'https://example.org' ? null : origin);
  }
});

test('never allows credentials, nor anything but the API', async () => {
  for (const path of [ME, '//__dashboard__/', '//__login__', '//'])
    for (const response of [
      await ask(path, EDITOR),
      await server.anonymous('GET', path, { headers: { Origin: EDITOR } }),
    ]) {
      expect(response.headers.get('access-control-allow-credentials')).toBe(null);
      if (path !== ME) expect(allowed(response)).toBe(null);
    }
});

test('allows no origin without the setting', async () => {
  await using other = await startTestServer();
  const person = await other.person('publisher');
  expect(allowed(await person.call('GET', ME, { headers: { Origin: EDITOR } }))).toBe(null);
});

test.each([
  ['shared', 303],
  ['own', 401],
] as const)(
  'a form without a session is kept with its text, unless content could have sent it: origin %s',
  async (origin, status) => {
    await using server = await startTestServer({ settings: { 'Server.ContentOrigin': origin } });
    const response = await fetch(`${server.url}/__dashboard__/keys`, {
      method: 'POST',
      body: new URLSearchParams({ typed: '', name: 'planted' }),
      headers: {
        Origin: new URL(server.url).origin,
        'Sec-Fetch-Site': 'same-origin',
        'Sec-Fetch-Dest': 'document',
      },
      redirect: 'manual',
    });
    const text = await response.text();
    expect([response.status, text.includes('planted')]).toEqual([status, status === 401]);
    expect(response.headers.get('location') ?? '').toMatch(
      /^(?:\/__login__\?next=%2F__dashboard__%2Fkeys)?$/,
    );
  },
);
