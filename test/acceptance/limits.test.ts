// Covers the limits of section 8 at their bounds, for every operation that has them, and what lists hide.
import { refused, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let server: TestServer;
let admin: Person;
let owner: Person;
let viewer: Person;
let content: string;
beforeAll(async () => {
  server = await startTestServer();
  admin = await server.administrator();
  [owner, viewer] = [await server.person('publisher'), await server.person('viewer')];
  content = (await owner.call('POST', '/v1/content', { body: { name: 'limits' } })).body.guid;
});
afterAll(() => server[Symbol.asyncDispose]());

test.each(['/v1/audit_logs', '/v1/instrumentation/content/visits', '/v1/instrumentation/shiny/usage'])(
  'accepts a limit of 1 to 500 only in %s',
  async (path) => {
    for (const limit of [1, 500]) {
      expect((await admin.call('GET', `${path}?limit=${limit}`)).status).toBe(200);
    }
    for (const limit of [0, 501, -1]) {
      expect(await admin.call('GET', `${path}?limit=${limit}`)).toMatchObject(refused(400, 13));
    }
  },
);

test.each([
  ['users', () => '/v1/users'],
  ['groups', () => '/v1/groups'],
  ['bundles', () => `/v1/experimental/content/${content}/bundles`],
])('requires page_size of 1 to 500 and a positive page_number for %s', async (_what, path) => {
  const get = (query: string) => owner.call('GET', `${path()}?${query}`);
  for (const query of ['page_size=1', 'page_size=500', 'page_number=1']) {
    expect((await get(query)).status).toBe(200);
  }
  for (const query of ['page_size=0', 'page_size=501', 'page_number=0', 'page_number=-1']) {
    expect(await get(query)).toMatchObject(refused(400, 13));
  }
  expect((await get('page_number=400')).body).toMatchObject({ current_page: 400, results: [] });
});

test('a page has twenty records by default', async () => {
  for (let i = 0; i < 21; i += 1) await owner.call('POST', '/v1/groups', { body: { name: `Twenty${i}` } });
  expect((await owner.call('GET', '/v1/groups')).body.results).toHaveLength(20);
  expect((await admin.call('GET', '/v1/audit_logs')).body.results).toHaveLength(20);
});

test('a content filter accepts forty GUIDs', async () => {
  const guids = Array.from({ length: 40 }, () => content).join('|');
  const response = await owner.call('GET', `/v1/instrumentation/content/visits?content_guid=${guids}`);
  expect(response).toMatchObject({ status: 200, body: { results: [] } });
});

describe('Longest and shortest accepted values', () => {
  test.each([
    { name: 'abc' },
    { name: 'n'.repeat(64) },
    { name: 'title-3', title: 'abc' },
    { name: 'title-1024', title: 't'.repeat(1024) },
    { name: 'description-4096', description: 'd'.repeat(4096) },
    { name: 'description-0', description: '' },
  ])('content, case %#', async (body) => {
    expect(await owner.call('POST', '/v1/experimental/content', { body })).toMatchObject({
      status: 200,
      body,
    });
  });

  test.each(['abc', 'G'.repeat(64)])('group name, case %#', async (name) => {
    expect(await owner.call('POST', '/v1/groups', { body: { name } })).toMatchObject({
      status: 200,
      body: { name },
    });
  });

  test('password of six characters', async () => {
    const add = (username: string, password: string) =>
      admin.call('POST', '/v1/users', { body: { username, password } });
    expect(await add('six', '123456')).toMatchObject({ status: 200 });
    expect(await add('five', '12345')).toMatchObject(refused(400, 6));
  });
});

test('e-mail addresses of group members are hidden where the server hides them', async () => {
  const { guid } = (await owner.call('POST', '/v1/groups', { body: { name: 'Hidden' } })).body;
  await owner.call('POST', `/v1/groups/${guid}/members`, { body: { user_guid: admin.guid } });
  const emails = async (who: Person) =>
    (await who.call('GET', `/v1/groups/${guid}/members`)).body.results.map(
      (user: { email: string }) => user.email,
    );
  expect(await emails(owner)).toEqual(['admin@example.com']);
  await server.restart({ 'Server.HideEmailAddresses': true });
  expect(await emails(owner)).toEqual(['']);
  expect(await emails(admin)).toEqual(['admin@example.com']);
  await server.restart();
});

test('users below the minimum role of listings see only themselves', async () => {
  const listed = async (who: Person) => (await who.call('GET', '/v1/users')).body.total;
  expect(await listed(viewer)).toBeGreaterThan(2);
  await server.restart({ 'Authorization.UsersListingMinRole': 'publisher' });
  expect([await listed(viewer), await listed(owner)]).toEqual([1, await listed(admin)]);
  await server.restart();
});

test('a new user has the default role unless one is given', async () => {
  await server.restart({ 'Authorization.DefaultUserRole': 'publisher' });
  const add = (body: object) => admin.call('POST', '/v1/users', { body: { password: 'secret1', ...body } });
  expect((await add({ username: 'default' })).body.user_role).toBe('publisher');
  expect((await add({ username: 'nulled', user_role: null })).body.user_role).toBe('publisher');
  expect((await add({ username: 'given', user_role: 'viewer' })).body.user_role).toBe('viewer');
  await server.restart();
});

test.each([
  ['/v1/content', { name: 'a b' }, 'name must be 3 to 64 letters, digits, "-" and "_"'],
  ['/v1/content', { name: 'abc', title: 'ab' }, 'title must be 3 to 1024 characters'],
  [
    '/v1/content',
    { name: 'abc', access_type: 'open' },
    'access_type must be all, logged_in or acl, not "open"',
  ],
  [
    '/v1/users',
    { username: 'anna', email: 'anna', password: 'secret' },
    'email must be an e-mail address of at most 254 characters',
  ],
  ['/v1/users', { username: 'anna', password: 'short' }, 'the password must have at least 6 characters'],
])('%s explains what is wrong with %j', async (path, body, error) => {
  expect((await admin.call('POST', path, { body })).body.error).toBe(error);
});
