// Covers users: creation, update, lock, lists (contract, 4.8).
import { refused, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

const ABSENT = '00000000-0000-4000-8000-000000000000';

describe('First user', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer({ own: true });
    return () => server[Symbol.asyncDispose]();
  });

  test('needs no key but a password, and becomes an administrator', async () => {
    const { anonymous } = server;
    const body = { username: 'first', email: 'first@example.com', user_role: 'viewer' };
    expect(await anonymous('POST', '/v1/users', { body })).toMatchObject(refused(400, 41));
    expect(await anonymous('POST', '/v1/users', { body: { ...body, password: 'short' } })).toMatchObject(
      refused(400, 6),
    );
    const created = await anonymous('POST', '/v1/users', { body: { ...body, password: 'longer' } });
    expect(created).toMatchObject({
      status: 200,
      body: { user_role: 'administrator', locked: false, confirmed: true },
    });
    expect(Object.keys(created.body)).toEqual(
      'email username first_name last_name user_role created_time updated_time active_time confirmed locked guid'.split(
        ' ',
      ),
    );
    expect(await anonymous('POST', '/v1/users', { body: { ...body, password: 'longer' } })).toMatchObject(
      refused(401, 24),
    );
  });

  test('of simultaneous requests exactly one creates the first user', async () => {
    const attempts = Array.from({ length: 8 }, (_, i) =>
      server.anonymous('POST', '/v1/users', { body: { username: `first${i}`, password: 'longer' } }),
    );
    const statuses = (await Promise.all(attempts)).map((response) => response.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });
});

describe('Management of users', () => {
  let server: TestServer;
  let admin: Person;
  beforeAll(async () => {
    server = await startTestServer({ own: true });
    admin = await server.administrator();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const create = (body: object) => admin.call('POST', '/v1/users', { body });

  test('GET returns a created user unchanged', async () => {
    const created = await create({
      username: 'same',
      email: 'same@example.com',
      first_name: 'S',
      password: 'secret1',
    });
    expect(created.body).toMatchObject({ user_role: 'viewer', active_time: null });
    expect((await admin.call('GET', `/v1/users/${created.body.guid}`)).body).toEqual(created.body);
    const upper = created.body.guid.toUpperCase();
    expect((await admin.call('GET', `/v1/users/${upper}`)).body).toEqual(created.body);
  });

  test.each([
    ['no username', {}, 12],
    ['a username with a slash', { username: 'a/b', password: 'secret1' }, 7],
    ['an unknown role', { username: 'role', password: 'secret1', user_role: 'king' }, 112],
    ['a malformed address', { username: 'mail', password: 'secret1', email: 'nowhere' }, 25],
    ['a blank address', { username: 'mail', password: 'secret1', email: '' }, 128],
    ['no password', { username: 'nopassword' }, 6],
    [
      'a password beside user_must_set_password',
      { username: 'both', password: 'secret1', user_must_set_password: true },
      25,
    ],
    ['a number as a name', { username: 'number', password: 'secret1', first_name: 7 }, 25],
    ['text with a NUL character', { username: 'nul', password: 'secret1', first_name: 'a\u0000b' }, 121],
  ])('returns an error for %s', async (_what, body, code) => {
    expect(await create(body)).toMatchObject(refused(400, code));
  });

  test('accepts the longest values in any script, and rejects longer ones', async () => {
    // Without repetition, which databases compress.
    const text = (length: number) =>
      Array.from({ length }, (_, i) => String.fromCodePoint(0x20000 + ((i * 7919) % 40_000))).join('');
    const account = {
      username: text(64),
      email: `${'e'.repeat(64)}@${'m'.repeat(60)}.${'n'.repeat(60)}.${'o'.repeat(60)}.com`,
      first_name: text(255),
      last_name: text(255),
    };
    const add = (unique_id: string) =>
      admin.call('POST', '/v1/users', { body: { ...account, password: 'correct horse', unique_id } });
    expect(await add(text(513))).toMatchObject(refused(400, 25));
    expect(await add(text(512))).toMatchObject({ status: 200, body: account });
  });

  test('creation and a change of the role say which one in the audit log', async () => {
    const { guid } = (await create({ username: 'climber', password: 'secret1' })).body;
    await admin.call('PUT', `/v1/users/${guid}`, { body: { user_role: 'administrator' } });
    const { results } = (await admin.call('GET', '/v1/audit_logs?limit=500')).body as {
      results: { event_description: string }[];
    };
    const about = results.filter((entry) => entry.event_description.includes(guid));
    expect(about.map((entry) => entry.event_description)).toEqual([
      `Created user climber (${guid}), viewer`,
      `Changed user_role of user climber (${guid}), from viewer to administrator`,
    ]);
  });

  test('rejects a taken name regardless of case', async () => {
    await create({ username: 'Taken', password: 'secret1' });
    expect(await create({ username: 'tAKEN', password: 'secret1' })).toMatchObject(refused(409, 8));
  });

  test('the password set at the first sign-in stays the password', async () => {
    const made = await create({ username: 'later', user_must_set_password: true });
    expect(made.status).toBe(200);
    const signIn = (password: string) =>
      server.anonymous('POST', '//__login__', { body: { username: 'later', password } });
    const link = await admin.call('POST', `/v1/users/${made.body.guid}/password_link`);
    const token = new URL(link.body.url).searchParams.get('token');
    const set = (password: string) =>
      server.anonymous('PUT', '/v1/password_reset', { body: { token, password } });
    expect(await set('tiny')).toMatchObject(refused(400, 6));
    expect(await set('my own password')).toMatchObject({ status: 204 });
    expect(await signIn('my own password')).toMatchObject({ status: 200 });
    expect(await signIn('another password')).toMatchObject(refused(401, 30));
  });

  test('updates return the modifiable fields, and follow the rules of roles', async () => {
    const [publisher, viewer] = [await server.person('publisher'), await server.person('viewer')];
    const update = (who: Person, whom: Person, body: object) =>
      who.call('PUT', `/v1/users/${whom.guid}`, { body });
    const renamed = await update(viewer, viewer, { first_name: 'Vera' });
    expect(Object.keys(renamed.body).sort()).toEqual([
      'email',
      'first_name',
      'last_name',
      'updated_time',
      'user_role',
      'username',
    ]);
    expect(renamed.body.first_name).toBe('Vera');
    expect(await update(viewer, publisher, { first_name: 'X' })).toMatchObject(refused(403, 21));
    expect(await update(viewer, viewer, { user_role: 'publisher' })).toMatchObject(refused(403, 23));
    expect(await update(publisher, publisher, { user_role: 'viewer' })).toMatchObject({
      body: { user_role: 'viewer' },
    });
    expect(await update(admin, publisher, { user_role: 'publisher' })).toMatchObject({
      body: { user_role: 'publisher' },
    });
    expect(await update(admin, viewer, { username: 'admin' })).toMatchObject(refused(409, 8));
    expect(await update(admin, viewer, { username: 'a b' })).toMatchObject(refused(400, 7));
    expect(await update(admin, viewer, { email: '' })).toMatchObject(refused(400, 128));
    expect(await update(admin, { ...viewer, guid: ABSENT }, {})).toMatchObject(refused(404, 4));
    expect(await update(admin, { ...viewer, guid: 'abc' }, {})).toMatchObject(refused(400, 3));
  });

  test('a locked user gets 403 and code 50 immediately, and keeps their times', async () => {
    const viewer = await server.person('viewer');
    const before = (await viewer.call('GET', '/v1/user')).body;
    const lock = (who: Person, locked: unknown) =>
      who.call('POST', `/v1/users/${viewer.guid}/lock`, { body: { locked } });
    expect(await lock(admin, 'yes')).toMatchObject(refused(400, 121));
    const locked = await lock(admin, true);
    expect([locked.status, locked.bytes.length]).toEqual([200, 0]);
    expect(await viewer.call('GET', '/v1/user')).toMatchObject(refused(403, 50));
    const shown = (await admin.call('GET', `/v1/users/${viewer.guid}`)).body;
    expect(shown).toMatchObject({ locked: true, updated_time: before.updated_time });
    expect(await lock(admin, false)).toMatchObject({ status: 200 });
    expect(await viewer.call('GET', '/v1/user')).toMatchObject({ status: 200 });
    const self = await admin.call('POST', `/v1/users/${admin.guid}/lock`, { body: { locked: true } });
    expect(self).toMatchObject(refused(403, 49));
  });
});

describe('Lists of users', () => {
  let server: TestServer;
  let admin: Person;
  beforeAll(async () => {
    server = await startTestServer({ settings: { 'Server.HideEmailAddresses': true } });
    admin = await server.administrator();
    const people = [
      ['ann', 'Ann', 'Zed'],
      ['anna', 'Zoe', 'Lee'],
      ['bob', 'annabel', 'Ash'],
      ['carl', 'Carl', 'Annex'],
    ];
    for (const [username, first_name, last_name] of people) {
      const body = { username, first_name, last_name, email: `${username}@example.com`, password: 'secret1' };
      await admin.call('POST', '/v1/users', { body });
    }
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const names = async (query: string) => {
    const { body } = await admin.call('GET', `/v1/users${query}`);
    return body.results.map((user: { username: string }) => user.username);
  };

  test('sort by first name, last name, username and e-mail, in both directions', async () => {
    expect(await names('')).toEqual(['admin', 'ann', 'bob', 'carl', 'anna']);
    expect(await names('?asc_order=F')).toEqual(['anna', 'carl', 'bob', 'ann', 'admin']);
  });

  test('return the closest matches for a prefix first, on the first page', async () => {
    expect(await names('?prefix=ANN&page_number=7')).toEqual(['ann', 'anna', 'carl', 'bob']);
  });

  test('return pages up to an empty one', async () => {
    const page = await admin.call('GET', '/v1/users?page_size=2&page_number=3');
    expect(page.body).toMatchObject({ current_page: 3, total: 5 });
    expect(page.body.results).toHaveLength(1);
    expect((await admin.call('GET', '/v1/users?page_number=9')).body).toMatchObject({
      current_page: 9,
      results: [],
    });
  });

  test.each([
    'page_size=0',
    'page_size=501',
    'page_number=0',
    'page_number=-1',
    'page_size=1e2',
    'asc_order=maybe',
  ])('reject %s', async (query) => expect((await admin.call('GET', `/v1/users?${query}`)).status).toBe(400));

  test('filter by role and status: | is OR, repetition is AND', async () => {
    expect(await names('?user_role=administrator')).toEqual(['admin']);
    expect(await names('?user_role=administrator|viewer')).toHaveLength(5);
    expect(await names('?user_role=viewer&user_role=viewer')).toEqual([]);
    expect(await names('?account_status=licensed')).toEqual(['admin']);
    expect(await names('?account_status=inactive|locked')).toHaveLength(4);
    expect(await admin.call('GET', '/v1/users?user_role=king')).toMatchObject(refused(400, 112));
    expect(await admin.call('GET', '/v1/users?account_status=asleep')).toMatchObject(refused(400, 115));
  });

  test('hide e-mail addresses from all but administrators, and the status from others', async () => {
    const viewer = await server.person('viewer', { username: 'vic' });
    expect((await viewer.call('GET', `/v1/users/${admin.guid}`)).body.email).toBe('');
    expect((await admin.call('GET', `/v1/users/${viewer.guid}`)).body.email).not.toBe('');
    expect(await viewer.call('GET', '/v1/users?account_status=locked')).toMatchObject(refused(403, 22));
    await server.restart({ 'Authorization.ViewersCanOnlySeeThemselves': true });
    expect((await viewer.call('GET', '/v1/users')).body).toMatchObject({
      total: 1,
      results: [{ username: 'vic' }],
    });
  });
});

test('the licence limits the number of unlocked users', async () => {
  await using server = await startTestServer({ settings: { 'Licensing.UserLimit': 2 } });
  const admin = await server.administrator();
  const viewer = await server.person('viewer');
  const body = { username: 'third', password: 'secret1' };
  expect(await admin.call('POST', '/v1/users', { body })).toMatchObject(refused(400, 64));
  await admin.call('POST', `/v1/users/${viewer.guid}/lock`, { body: { locked: true } });
  expect(await admin.call('POST', '/v1/users', { body })).toMatchObject({ status: 200 });
  const unlock = await admin.call('POST', `/v1/users/${viewer.guid}/lock`, { body: { locked: false } });
  expect(unlock).toMatchObject(refused(400, 64));
});

test('the last administrator cannot be downgraded', async () => {
  await using server = await startTestServer({ own: true });
  const admin = await server.administrator();
  const downgrade = () => admin.call('PUT', `/v1/users/${admin.guid}`, { body: { user_role: 'publisher' } });
  expect(await downgrade()).toMatchObject(refused(400, 61));
  await server.person('administrator');
  expect(await downgrade()).toMatchObject({ status: 200, body: { user_role: 'publisher' } });
});

test('users cannot edit themselves when only administrators may edit', async () => {
  await using server = await startTestServer({ settings: { 'Authorization.UserInfoEditableBy': 'Admin' } });
  const viewer = await server.person('viewer');
  const update = await viewer.call('PUT', `/v1/users/${viewer.guid}`, { body: { first_name: 'Me' } });
  expect(update).toMatchObject(refused(403, 21));
});
