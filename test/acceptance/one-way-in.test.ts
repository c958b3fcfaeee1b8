// Covers credentials sent in the place of others: a key as the cookie of a session, a session as a key, a token without
// its signature. Each counts in its own place only, also right after it was used there.
import { caller, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createContentKeys } from '../../packages/server/src/content/content-keys.ts';
import { findContent } from '../../packages/server/src/content/store.ts';
import { claimed } from './sign-in/signing.ts';

const PAGES = ['/__dashboard__/', '/__dashboard__/audit', '/__dashboard__/account', '/__api__/v1/user'];

let server: TestServer;
let admin: Person;
beforeAll(async () => {
  server = await startTestServer({ settings: {} });
  admin = await server.administrator();
});
afterAll(() => server[Symbol.asyncDispose]());

const withKey = (key: string) => caller(() => server.url, key);

async function contentWithKey(name: string) {
  const { guid } = (await admin.call('POST', '/v1/content', { body: { name } })).body;
  const { storage, secrets, clock } = server.running.services;
  const content = await findContent(storage.db, guid);
  return { guid: String(guid), key: await createContentKeys(storage, secrets, clock).keyFor(content!) };
}

async function sessionOf({ username }: Person): Promise<string> {
  const body = { username, password: 'correct horse' };
  const { headers } = await server.anonymous('POST', '//__login__', { body });
  return /pressroom-session=([^;]+)/.exec(headers.getSetCookie().join('\n'))?.[1] ?? '';
}

async function seenWith(cookie: string): Promise<number[]> {
  const headers = { Cookie: `pressroom-session=${cookie}` };
  return Promise.all(
    PAGES.map(async (path) => (await server.anonymous('GET', `/${path}`, { headers })).status),
  );
}

/** The sign-in page for pages, 401 for the API. */
const NOBODY = [303, 303, 303, 401];

describe('a credential in the place of another', () => {
  test.each(['key of content', 'key with a role', 'key'])('a %s is no session', async (kind) => {
    const limits = { body: { name: 'small', role: 'viewer' } };
    const limited = await admin.call('POST', `/v1/users/${admin.guid}/keys`, limits);
    const { key } =
      kind === 'key' ? admin : kind === 'key with a role' ? limited.body : await contentWithKey('item');
    expect((await withKey(key)('GET', '/v1/user')).status).toBe(200);
    expect(await seenWith(key)).toEqual(NOBODY);
    // It would get a key with all rights of the account.
    const { body } = await server.anonymous('POST', '/v1/device_sign_in', { body: { client_name: 'x' } });
    const raw = new URLSearchParams({ code: body.user_code, decision: 'allowed' }).toString();
    const headers = { Cookie: `pressroom-session=${key}` };
    await server.anonymous('POST', '//__dashboard__/device', { raw, headers });
    const { device_code } = body;
    const asked = await server.anonymous('POST', '/v1/device_sign_in/token', { body: { device_code } });
    expect(asked.body).toMatchObject({ code: 25, error: 'authorization_pending' });
  });

  test('a session is no key', async () => {
    const session = await sessionOf(admin);
    expect(await seenWith(session)).toEqual([200, 200, 200, 200]);
    expect((await withKey(session)('GET', '/v1/user')).status).toBe(401);
  });

  test('a token of a program is no session: the signature is asked for', async () => {
    const program = await claimed(server, admin);
    expect((await program.send('GET', '/users/current')).status).toBe(200);
    expect(await seenWith(`token ${program.token}`)).toEqual(NOBODY);
    expect(await seenWith(program.token)).toEqual(NOBODY);
  });
});

test('the key of deleted content is refused, also right after it was used', async () => {
  const { guid, key } = await contentWithKey('gone');
  expect((await withKey(key)('GET', '/v1/user')).status).toBe(200);
  expect((await admin.call('DELETE', `/v1/content/${guid}`)).status).toBe(204);
  expect((await withKey(key)('GET', '/v1/user')).status).toBe(401);
});
