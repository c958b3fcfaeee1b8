// Covers the secret of an authenticating proxy: no application, log or page behind the server sees it (H3).
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../main/config/load-config.ts';
import type { ProviderParts } from '../provider.ts';
import { createProxied } from './index.ts';

const SECRET = 'what only the proxy knows';

/** What code after the provider sees of a request. @param remoteAddress of who sends it */
function scrubbed(headers: Record<string, string>, remoteAddress: string): Record<string, string> {
  const config = loadConfig(
    {},
    {
      'Authentication.Provider': 'proxied',
      'ProxyAuth.TrustedProxies': '127.0.0.1',
      'ProxyAuth.Secret': SECRET,
      'ProxyAuth.SecretHeader': 'X-Proof',
    },
  );
  const { signIn } = createProxied({ config } as ProviderParts);
  if (signIn.by !== 'header') throw new Error('not by a header');
  signIn.scrub({ headers, socket: { remoteAddress } } as unknown as IncomingMessage);
  expect(signIn.names).not.toContain('x-proof');
  return headers;
}

test.each([
  ['from the proxy', '127.0.0.1', SECRET, true],
  ['from the proxy, as IPv4-mapped IPv6', '::ffff:127.0.0.1', SECRET, true],
  ['a wrong one', '127.0.0.1', 'something else', false],
  ['from another address', '192.0.2.7', SECRET, false],
])('H3: removes the secret from every request: %s', (_what, remoteAddress, secret, believed) => {
  const headers = { 'x-proof': secret, 'x-auth-username': 'alice', accept: '*/*' };
  expect(scrubbed(headers, remoteAddress)).toEqual({
    accept: '*/*',
    ...(believed && { 'x-auth-username': 'alice' }),
  });
});

test.each(['Basic YWxpY2U6c2VjcmV0', 'negotiate YII', 'Digest username="alice"', 'NTLM TlRM'])(
  'removes a password that the proxy has checked: %s',
  (authorization) => {
    expect(scrubbed({ 'x-proof': SECRET, authorization }, '127.0.0.1')).toEqual({});
    // For content that checks passwords itself.
    expect(scrubbed({ authorization }, '192.0.2.7')).toEqual({ authorization });
  },
);

test.each([
  ['a=1; _oauth2_proxy_0=x; b=2; __Host-_oauth2_proxy_csrf=y', 'a=1; b=2'],
  ['mod_auth_openidc_session=x', undefined],
  ['_oauth2=x;a=_oauth2_proxy', '_oauth2=x;a=_oauth2_proxy'],
])('removes the cookies of the proxy: %s', (cookie, kept) => {
  expect(scrubbed({ cookie }, '127.0.0.1')).toEqual(kept === undefined ? {} : { cookie: kept });
});

test.each(['Key abc', 'Bearer of-an-application', 'Basically another scheme'])(
  'keeps what is no password for the proxy: %s',
  (authorization) => {
    expect(scrubbed({ 'x-proof': SECRET, authorization }, '127.0.0.1')).toEqual({ authorization });
  },
);
