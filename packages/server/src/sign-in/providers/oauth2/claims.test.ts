// Covers which address of a person counts as verified.
import { expect, test } from 'vitest';
import { loadConfig } from '../../../main/config/load-config.ts';
import { joinClaims, personIn } from './claims.ts';

const config = loadConfig({}, { 'OAuth2.AllowedDomains': 'example.org' });
const token = { sub: '1', preferred_username: 'mallory' };
const ADDRESS = 'boss@example.org';

test('an address of the ID token is not verified because the userinfo endpoint verifies another one', () => {
  const verified = { sub: '1', email: 'mallory@elsewhere.example', email_verified: true };
  expect(() => personIn(joinClaims({ ...token, email: ADDRESS }, verified), config)).toThrow(
    expect.objectContaining({ code: 60 }),
  );
});

test.each([
  ['both from the userinfo endpoint', {}, { email: ADDRESS, email_verified: true }],
  ['both from the ID token', { email: ADDRESS, email_verified: true }, {}],
  [
    'one address, verified by the userinfo endpoint',
    { email: ADDRESS },
    { email: ADDRESS, email_verified: true },
  ],
])('takes address and verification: %s', (_where, own, more) => {
  const { profile, invited_as } = personIn(joinClaims({ ...token, ...own }, more), config);
  expect([profile.email, invited_as]).toEqual([ADDRESS, `email:${ADDRESS}`]);
});
