// Covers creation of the first administrator by a program: only with a token signed with the set-up token, once, for a
// limited time.
import { createHmac } from 'node:crypto';
import { caller, refused, startTestServer, type CallResponse, type TestServer } from '@pressroom/testkit';
import { expect, test } from 'vitest';

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function jwt(
  secret: string,
  { claims = {}, header = {} }: { claims?: object; header?: object } = {},
): string {
  const now = Math.floor(Date.now() / 1000);
  const all = {
    iat: now,
    exp: now + 900,
    iss: 'rsconnect-python',
    aud: 'rsconnect',
    scope: 'bootstrap',
    ...claims,
  };
  const signed = `${part({ alg: 'HS256', typ: 'JWT', ...header })}.${part(all)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

function post(server: TestServer, token: string | null): Promise<CallResponse> {
  const headers: Record<string, string> = {};
  if (token !== null) headers.Authorization = `Connect-Bootstrap ${token}`;
  return server.anonymous('POST', '/v1/experimental/bootstrap', { headers });
}

async function secretOf(server: TestServer): Promise<string> {
  const link = await server.running.setUpLink();
  return new URL(link!).searchParams.get('token')!;
}

test('a token signed with the set-up token creates one administrator with a key', async () => {
  await using server = await startTestServer();
  const secret = await secretOf(server);
  const token = jwt(secret);
  const [made, ...others] = await Promise.all([
    post(server, token),
    post(server, token),
    post(server, token),
  ]);
  const responses = [made, ...others].toSorted((a, b) => a.status - b.status);
  expect(responses.map(({ status }) => status)).toEqual([200, 403, 403]);
  expect(responses[1]).toMatchObject(refused(403, 22));
  const call = caller(() => server.url, responses[0]!.body.api_key);
  expect((await call('GET', '/v1/user')).body).toMatchObject({ user_role: 'administrator', locked: false });
  const person = { username: 'jane', email: 'jane@example.com', password: 'correct horse battery 9' };
  const first = await call('POST', '/v1/users', { body: { ...person, user_role: 'administrator' } });
  expect(first.status).toBe(200);
  expect(await server.running.setUpLink()).toBeNull();
  expect(await post(server, jwt(secret))).toMatchObject(refused(403, 22));
});

const old = Math.floor(Date.now() / 1000) - 3600;
test.each<[string, (secret: string) => string | null]>([
  ['no token', () => null],
  ['a token signed with another secret', () => jwt('x'.repeat(43))],
  ['a token signed with an empty secret', () => jwt('')],
  ['the secret itself', (secret) => secret],
  ['a token with the algorithm none', (secret) => jwt(secret, { header: { alg: 'none' } })],
  ['a token without a signature', (secret) => jwt(secret).replace(/[^.]+$/, '')],
  ['an expired token', (secret) => jwt(secret, { claims: { iat: old, exp: old + 900 } })],
  ['a token from the future', (secret) => jwt(secret, { claims: { iat: old + 7200, exp: old + 8000 } })],
  ['a token that is valid for too long', (secret) => jwt(secret, { claims: { exp: old + 90_000 } })],
  ['a token without an expiry', (secret) => jwt(secret, { claims: { exp: undefined } })],
  ['a token with another scope', (secret) => jwt(secret, { claims: { scope: 'other' } })],
  ['a token with another audience', (secret) => jwt(secret, { claims: { aud: 'other' } })],
])('creates no administrator for %s', async (_what, tokenOf) => {
  await using server = await startTestServer();
  const secret = await secretOf(server);
  expect(await post(server, tokenOf(secret))).toMatchObject(refused(401, 24));
  expect(await server.running.setUpLink()).not.toBeNull();
});

test('a session starts below the address of the API, too', async () => {
  await using server = await startTestServer();
  const admin = await server.administrator();
  const account = { username: 'jane', email: 'jane@example.com', password: 'correct horse battery 9' };
  await admin.call('POST', '/v1/users', { body: account });
  const { username, password } = account;
  const response = await server.anonymous('POST', '/__login__', { body: { username, password } });
  expect(response).toMatchObject({ status: 200, body: { username } });
  expect(response.headers.get('set-cookie')).toContain('RSC-XSRF');
  const wrong = await server.anonymous('POST', '/__login__', { body: { username, password: 'wrong' } });
  expect(wrong).toMatchObject(refused(401, 30));
  const headers = { Origin: 'https://elsewhere.example' };
  const elsewhere = await server.anonymous('POST', '/__login__', { body: { username, password }, headers });
  expect(elsewhere).toMatchObject(refused(403, 92));
});
