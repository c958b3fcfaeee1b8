// Covers claims of a provider that a database cannot store: PostgreSQL allows neither NUL nor half of a surrogate pair.
import { createBrowser, OIDC_CLIENT, ownAddress, startOidc, startTestServer } from '@pressroom/testkit';
import { expect, test } from 'vitest';

test('drops NULs and lone surrogates from names and addresses, and rejects ids with them', async () => {
  const { address, settings } = await ownAddress();
  await using oidc = await startOidc(`${address}/__login__/callback`);
  await using server = await startTestServer({
    settings: {
      'Authentication.Provider': 'oauth2',
      ...settings,
      'OAuth2.Issuer': oidc.issuer,
      'OAuth2.ClientId': OIDC_CLIENT,
      'OAuth2.ClientSecret': oidc.clientSecret,
    },
  });
  const signIn = async (who: string, claims: Record<string, unknown>) => {
    oidc.visitor = who;
    oidc.claims[who] = claims;
    const browser = createBrowser();
    const { status } = await browser.follow(await browser.get(`${address}/__login__`));
    const { text } = await browser.get(`${address}/__api__/v1/user`);
    return { status, user: JSON.parse(text) };
  };
  const said = { given_name: 'A\0da', family_name: '\ud83dAsh', email: 'alice\0@corp.example' };
  for (let i = 0; i < 2; i += 1) {
    expect(await signIn('id-alice', said)).toMatchObject({
      status: 200,
      user: { first_name: 'Ada', last_name: '\ufffdAsh', email: 'alice@corp.example' },
    });
  }
  // The second sign-in changed nothing.
  const { db } = server.running.services.storage;
  const edits = db.selectFrom('audit_log').select('id').where('action', '=', 'edit_user');
  expect(await edits.execute()).toEqual([]);
  expect(await signIn('id-b\0b', { preferred_username: 'bob' })).toMatchObject({ status: 400 });
  expect(await signIn('id-bob', { preferred_username: 'b\0b' })).toMatchObject({ status: 400 });
});
