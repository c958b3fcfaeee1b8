// Covers OAuth 2.0 for the sign-in of clients by others: metadata, registration, the page, codes with PKCE, tokens.
import { createHash, randomBytes } from 'node:crypto';
import {
  createBrowser,
  publish,
  startTestServer,
  type Browser,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const MICROS = 1_000_000;
let time = Date.parse('2026-11-30T10:00:00Z') * 1000;
const clock = { now: () => (time += 1) };

let server: TestServer;
let ada: Person;
let browser: Browser;
beforeAll(async () => {
  server = await startTestServer({ clock });
  ada = await server.person('publisher');
  browser = createBrowser();
  await browser.submit(`${server.url}/__login__`, { username: ada.username, password: 'correct horse' });
});
afterAll(() => server[Symbol.asyncDispose]());

const REDIRECT = 'http://127.0.0.1:4711/callback';
const verifier = randomBytes(48).toString('base64url');
const challenge = createHash('sha256').update(verifier).digest('base64url');
const asked = (changes: Record<string, string> = {}) =>
  new URLSearchParams({
    response_type: 'code',
    client_id: 'Posit CLI',
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'as & it = is',
    ...changes,
  }).toString();
const page = (query = asked()) => `${server.url}/__dashboard__/authorize?${query}`;

/** Where the browser goes after the decision. */
async function decide(decision: string, query = asked(), by = browser): Promise<URL> {
  const xsrf = by.cookie(`${server.url}/`, 'RSC-XSRF')!;
  const { status, text } = await by.submit(page('').slice(0, -1), { asked: query, decision, xsrf });
  expect(status).toBe(200);
  const address = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(text)![1]!;
  return new URL(address.replaceAll('&amp;', '&'));
}
const post = (path: string, form: Record<string, string>, headers = {}) =>
  server.anonymous('POST', `//__login__/oauth/${path}`, {
    raw: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
const exchange = (code: string, changes: Record<string, string> = {}) =>
  post('token', {
    grant_type: 'authorization_code',
    client_id: 'Posit CLI',
    code,
    redirect_uri: REDIRECT,
    code_verifier: verifier,
    ...changes,
  });
const refused = (error: string) => ({ status: 400, body: { error } });
const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const codeFor = async () => (await decide('allowed')).searchParams.get('code')!;

test.each(['127.0.0.1', 'localhost'])('gives no code to content of this server at %s', async (host) => {
  const address = new URL(`${server.url}/content/${ada.guid}/`);
  address.hostname = host;
  const query = asked({ redirect_uri: address.href });
  expect((await browser.get(page(query))).status).toBe(400);
  const xsrf = browser.cookie(`${server.url}/`, 'RSC-XSRF')!;
  const sent = { asked: query, decision: 'allowed', xsrf };
  const answer = await browser.submit(page('').slice(0, -1), sent);
  expect([answer.status, answer.text.includes('code=')]).toEqual([400, false]);
});

test('the metadata names endpoints of this server, and registration needs no secret', async () => {
  const { body } = await server.anonymous('GET', '//.well-known/oauth-authorization-server');
  expect(body).toMatchObject({
    issuer: server.url,
    authorization_endpoint: `${server.url}/__dashboard__/authorize`,
    token_endpoint: `${server.url}/__login__/oauth/token`,
    code_challenge_methods_supported: ['S256'],
    grant_types_supported: [
      'authorization_code',
      'urn:ietf:params:oauth:grant-type:device_code',
      'urn:ietf:params:oauth:grant-type:token-exchange',
    ],
  });
  const register = (sent: unknown) =>
    server.anonymous('POST', '//__login__/oauth/register', { raw: JSON.stringify(sent) });
  const wanted = { client_name: 'Posit CLI', redirect_uris: ['http://127.0.0.1/callback'] };
  expect(await register(wanted)).toMatchObject({
    status: 201,
    body: { client_id: 'Posit CLI', token_endpoint_auth_method: 'none' },
  });
  for (const [sent, error] of [
    [{ ...wanted, redirect_uris: ['https://evil.example/'] }, 'invalid_redirect_uri'],
    [{ ...wanted, redirect_uris: 'http://127.0.0.1/' }, 'invalid_redirect_uri'],
    [{ ...wanted, client_name: '\u202E' }, 'invalid_client_metadata'],
    [null, 'invalid_client_metadata'],
    [[1], 'invalid_client_metadata'],
  ] as const)
    expect(await register(sent)).toMatchObject(refused(error));
  expect(await server.anonymous('POST', '//__login__/oauth/register', { raw: '{' })).toMatchObject(
    refused('invalid_client_metadata'),
  );
});

describe('a program that opens the browser', () => {
  test('gets a token of the person who allowed it, once', async () => {
    const { text } = await browser.get(page());
    expect(text).toContain('Posit CLI');
    expect(text).toContain('http://127.0.0.1:4711');
    const back = await decide('allowed');
    expect(back.origin + back.pathname).toBe(REDIRECT);
    expect(back.searchParams.get('state')).toBe('as & it = is');
    const code = back.searchParams.get('code')!;
    const answer = await exchange(code);
    expect(answer).toMatchObject({
      status: 200,
      body: { access_token: expect.stringMatching(/^pressroom_\w{32}$/), token_type: 'Bearer' },
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const token: string = answer.body.access_token;
    expect((await server.anonymous('GET', '/v1/user', as(token))).body.username).toBe(ada.username);
    expect(await exchange(code)).toMatchObject(refused('invalid_grant'));
    // It is a key like others: listed, audited, and revoked.
    const keys = (await ada.call('GET', `/v1/users/${ada.guid}/keys`)).body;
    const { id } = keys.find(({ name }: { name: string }) => name === 'Posit CLI, 2026-11-30');
    const administrator = await server.administrator();
    const log = (await administrator.call('GET', '/v1/audit_logs?limit=2&ascOrder=false')).body.results;
    expect(log.map(({ action }: { action: string }) => action)).toEqual(['add_api_key', 'allow_device']);
    await ada.call('DELETE', `/v1/users/${ada.guid}/keys/${id}`);
    expect(await server.anonymous('GET', '/v1/user', as(token))).toMatchObject({ status: 401 });
  });

  test('learns that it was denied', async () => {
    const back = await decide('denied');
    expect(back.search).toBe('?error=access_denied&state=as+%26+it+%3D+is');
  });

  test('gets nothing with another secret, address or grant, or too late', async () => {
    const code = await codeFor();
    for (const changes of [
      { code_verifier: `${verifier}x` },
      { code_verifier: '' },
      { code_verifier: challenge },
      { redirect_uri: 'http://127.0.0.1:4712/callback' },
      { code: 'x' },
      { code: '' },
    ] as Record<string, string>[])
      expect(await exchange(code, changes), JSON.stringify(changes)).toMatchObject(refused('invalid_grant'));
    // Nor can the code be polled for as that of a device, which sends no secret.
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
    for (const device_code of [code, JSON.stringify([code, REDIRECT, challenge])]) {
      expect(await post('token', { grant_type, device_code })).toMatchObject(refused('expired_token'));
      const polled = await server.anonymous('POST', '/v1/device_sign_in/token', { body: { device_code } });
      expect(polled).toMatchObject({ status: 400, body: { error: 'expired_token' } });
    }
    expect(await exchange(code, { grant_type: 'refresh_token' })).toMatchObject(
      refused('unsupported_grant_type'),
    );
    time += 61 * MICROS;
    expect(await exchange(code)).toMatchObject(refused('invalid_grant'));
  });

  test('gets nothing once the person is locked', async () => {
    const bob = await server.person('viewer');
    const tab = createBrowser();
    await tab.submit(`${server.url}/__login__`, { username: bob.username, password: 'correct horse' });
    const code = (await decide('allowed', asked(), tab)).searchParams.get('code')!;
    const administrator = await server.administrator();
    await administrator.call('POST', `/v1/users/${bob.guid}/lock`, { body: { locked: true } });
    expect(await exchange(code)).toMatchObject(refused('invalid_grant'));
  });

  test.each([
    ['another machine', { redirect_uri: 'https://evil.example/callback' }],
    ['an address that only begins like its own', { redirect_uri: 'http://127.0.0.1.evil.example/' }],
    ['an address with a user', { redirect_uri: 'http://127.0.0.1:1@evil.example/' }],
    ['a script', { redirect_uri: 'javascript:alert(1)' }],
    ['another scheme', { redirect_uri: 'vscode://127.0.0.1/' }],
    ['no address', { redirect_uri: '' }],
    ['no PKCE', { code_challenge: '' }],
    ['plain PKCE', { code_challenge_method: 'plain' }],
    ['a token at once', { response_type: 'token' }],
    ['no name', { client_id: '' }],
  ])('is refused for %s, before and after the decision', async (_what, changes) => {
    const query = asked(changes);
    expect((await browser.get(page(query))).status).toBe(400);
    const xsrf = browser.cookie(`${server.url}/`, 'RSC-XSRF')!;
    const sent = { asked: query, decision: 'allowed', xsrf };
    const { status, text } = await browser.submit(page('').slice(0, -1), sent);
    expect([status, text.includes('http-equiv="refresh"')]).toEqual([400, false]);
  });

  test('opening the page, or a page of another site, decides nothing', async () => {
    const { headers } = await createBrowser().get(page());
    expect(headers.get('location')).toContain('/__login__?next=');
    const { status } = await browser.submit(page('').slice(0, -1), { asked: asked(), decision: 'allowed' });
    expect(status).toBe(403);
    const site = { 'sec-fetch-site': 'cross-site' };
    expect(await post('device', { client_id: 'a page' }, site)).toMatchObject({ status: 403 });
  });
});

test('a program without a browser gets a token by the device flow', async () => {
  const { body } = await post('device', { client_id: 'Posit CLI' });
  expect(body).toMatchObject({ verification_uri: `${server.url}/__dashboard__/device`, interval: 5 });
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
  const poll = () => post('token', { grant_type, device_code: body.device_code, client_id: 'Posit CLI' });
  expect(await poll()).toMatchObject(refused('authorization_pending'));
  expect(await poll()).toMatchObject(refused('slow_down'));
  const xsrf = browser.cookie(`${server.url}/`, 'RSC-XSRF')!;
  await browser.submit(`${server.url}/__dashboard__/device`, {
    code: body.user_code,
    decision: 'allowed',
    xsrf,
  });
  const { access_token } = (await poll()).body;
  expect((await server.anonymous('GET', '/v1/user', as(access_token))).body.guid).toBe(ada.guid);
  expect(await post('device', { client_id: '' })).toMatchObject(refused('invalid_request'));
});

test('a token opens private content; a key is none', async () => {
  const { path, guid } = await publish(ada, { 'index.html': '<p>private' });
  await ada.call('PATCH', `/v1/content/${guid}`, { body: { access_type: 'acl' } });
  const token = (await exchange(await codeFor())).body.access_token as string;
  expect((await server.anonymous('GET', path, as(token))).status).toBe(200);
  expect((await server.anonymous('GET', path)).status).not.toBe(200);
  expect(await server.anonymous('GET', '/v1/user', as(ada.key))).toMatchObject({ status: 401 });
});
