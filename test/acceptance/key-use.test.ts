// "Last used" of an API key is right for whatever it is used for: the API, pages and applications.
import { publish, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ASGI, asgi } from '../runtime/python-content.ts';

let server: TestServer;
let owner: Person;
beforeAll(async () => {
  server = await startTestServer({ settings: { 'Scheduler.IdleTimeout': 600 } });
  owner = await server.person('publisher');
});
afterAll(() => server[Symbol.asyncDispose]());

/** Whether a new key counts as used after its first request. */
async function isUsedBy(path: string): Promise<boolean> {
  const keys = `/v1/users/${owner.guid}/keys`;
  const { id, key } = (await owner.call('POST', keys, { body: { name: 'script' } })).body;
  const used = async () =>
    (await owner.call('GET', keys)).body.find((one: { id: string }) => one.id === id).last_used_time;
  expect(await used()).toBeNull();
  const response = await server.anonymous('GET', path, { headers: { Authorization: `Key ${key}` } });
  expect(response.status).toBe(200);
  return (await used()) !== null;
}

test('a call of the API uses a key', async () => {
  expect(await isUsedBy('/v1/user')).toBe(true);
});

test.each(['all', 'logged_in', 'acl'])(
  'a static page uses a key, with access %s, also after others asked for it',
  async (access_type) => {
    const files = { 'index.html': 'x', 'next.html': 'y' };
    const { path } = await publish(owner, files, { fields: { name: `page-${access_type}`, access_type } });
    expect(await isUsedBy(path)).toBe(true);
    expect(await isUsedBy(`${path}next.html`)).toBe(true);
    for (let i = 0; i < 3; i++) await server.anonymous('GET', path);
    expect(await isUsedBy(path)).toBe(true);
  },
);

test.each(['all', 'acl'])('an application uses a key, with access %s', async (access_type) => {
  const fields = { name: `app-${access_type}`, access_type };
  const { path } = await publish(owner, asgi({ '/': 'answer = 1' }), { metadata: ASGI, fields });
  expect(await isUsedBy(path)).toBe(true);
  expect(await isUsedBy(path)).toBe(true);
});
