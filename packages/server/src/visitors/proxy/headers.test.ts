import { expect, test } from 'vitest';
import { prepareHeaders } from './headers.ts';

const forwarded = {
  caller: { username: 'ann' } as never,
  groups: [],
  url: 'http://h/content/x',
  sessionToken: null,
  remoteAddress: '192.0.2.1',
};

test('headers named in Connection do not reach the application', () => {
  const headers = { host: 'h', connection: 'keep-alive, X-Secret , te', 'x-secret': '1', 'x-other': '2' };
  prepareHeaders(headers, forwarded);
  expect(headers).not.toHaveProperty('x-secret');
  expect(headers).toMatchObject({ host: 'h', 'x-other': '2' });
});

test('Connection removes neither the headers of the server nor those that frame a request', () => {
  const named = 'Shiny-Server-Credentials, X-Forwarded-For, Content-Length, Transfer-Encoding, Host';
  const headers = { host: 'h', connection: named, 'content-length': '2', 'transfer-encoding': 'chunked' };
  prepareHeaders(headers, forwarded);
  expect(headers).toMatchObject({
    host: 'h',
    'content-length': '2',
    'transfer-encoding': 'chunked',
    'x-forwarded-for': '192.0.2.1',
    'shiny-server-credentials': '{"user":"ann","groups":[]}',
  });
});

test('a visitor cannot send the token of another visitor’s session', () => {
  const header = 'posit-connect-user-session-token';
  const headers: Record<string, string> = {
    host: 'h',
    [header]: 'forged',
    posit_connect_user_session_token: 'too',
  };
  prepareHeaders(headers, forwarded);
  expect(Object.keys(headers).filter((name) => name.startsWith('posit'))).toEqual([]);
  prepareHeaders(headers, { ...forwarded, sessionToken: 'genuine' });
  expect(headers[header]).toBe('genuine');
  headers[header] = 'forged';
  prepareHeaders(headers, { ...forwarded, caller: null });
  expect(headers).not.toHaveProperty(header);
});

test.each([
  'oidc_access_token',
  'x-amzn-oidc-accesstoken',
  'x-ms-token-aad-id-token',
  'cf-access-jwt-assertion',
])('an application gets no token of a proxy: %s', (name) => {
  const headers: Record<string, string> = { host: 'h', [name]: 'secret', oidcs: 'kept' };
  prepareHeaders(headers, forwarded);
  expect(headers).not.toHaveProperty(name);
  expect(headers).toHaveProperty('oidcs');
});

test('an application gets the tokens of its own visitors, but no key of the server', () => {
  for (const [authorization, left] of [
    ['Key abc', undefined],
    ['bearer  pressroom_abc', undefined],
    ['Bearer abc', 'Bearer abc'],
    ['Basic abc', 'Basic abc'],
  ]) {
    const headers: { host: string; authorization?: string } = { host: 'h', authorization: authorization! };
    prepareHeaders(headers, forwarded);
    expect(headers.authorization).toBe(left);
  }
});
