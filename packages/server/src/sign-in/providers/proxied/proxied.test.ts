// Covers the secret of an authenticating proxy: no application, log or page behind the server sees it (H3).
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../main/config/load-config.ts';
import type { ProviderParts } from '../provider.ts';
import { createProxied } from './index.ts';

const SECRET = 'what only the proxy knows';

test.each([
  ['from the proxy', '127.0.0.1', SECRET, true],
  ['from the proxy, as IPv4-mapped IPv6', '::ffff:127.0.0.1', SECRET, true],
  ['a wrong one', '127.0.0.1', 'something else', false],
  ['from another address', '192.0.2.7', SECRET, false],
])('H3: removes the secret from every request: %s', (_what, remoteAddress, secret, believed) => {
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
  const headers: Record<string, string> = { 'x-proof': secret, 'x-auth-username': 'alice', accept: '*/*' };
  signIn.scrub({ headers, socket: { remoteAddress } } as unknown as IncomingMessage);
  expect(headers).toEqual({ accept: '*/*', ...(believed && { 'x-auth-username': 'alice' }) });
  expect(signIn.names).not.toContain('x-proof');
});
