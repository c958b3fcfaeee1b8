// Pages by number of long lists: users are found by portions with known counts; other lists are read backwards near the end,
// and large groups in another way than small ones.
import { startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countAll, cutPortions, isFrom } from '../../packages/server/src/people/portions-store.ts';
import { USER_ORDER } from '../../packages/server/src/platform/database/user-order.ts';

const PEOPLE = 1200;

let server: TestServer;
let admin: Person;
let large: string;
let small: string;

beforeAll(async () => {
  server = await startTestServer({ own: true });
  admin = await server.administrator();
  const newGroup = async (name: string): Promise<string> =>
    (await admin.call('POST', '/v1/groups', { body: { name } })).body.guid;
  [large, small] = [await newGroup('large'), await newGroup('small')];
  const numbers = Array.from({ length: PEOPLE }, (_, index) => index);
  const guidOf = (i: number) => `c0ffee00-0000-4000-8000-${String(i).padStart(12, '0')}`;
  await server.running.services.storage.write(async (tx) => {
    const people = numbers.map((i) => ({
      guid: guidOf(i),
      username: `p${i}`,
      username_key: `p${i}`,
      email: '',
      first_name: `First${i % 7}`,
      last_name: 'Last',
      first_name_key: `first${i % 7}`,
      last_name_key: 'last',
      user_role: 'viewer' as const,
      must_set_password: 0 as const,
      confirmed: 1 as const,
      locked: 0 as const,
      created_time: 0,
      updated_time: 0,
    }));
    await tx.insertInto('user_account').values(people).execute();
    const joined = numbers.map((i) => ({ group_guid: large, user_guid: guidOf(i) }));
    await tx.insertInto('group_member').values(joined).execute();
    const few = joined.slice(0, 40).map((row) => ({ ...row, group_guid: small }));
    await tx.insertInto('group_member').values(few).execute();
    const groups = numbers.slice(0, 50).map((i) => ({
      guid: guidOf(i),
      name: `G${i}`,
      name_key: `g${i}`,
      owner_guid: admin.guid,
      created_time: 0,
    }));
    await tx.insertInto('user_group').values(groups).execute();
    await cutPortions(tx, 100);
  });
});
afterAll(() => server[Symbol.asyncDispose]());

test.each([
  ['users', () => '/v1/users', PEOPLE + 1],
  ['users, descending', () => '/v1/users?asc_order=false', PEOPLE + 1],
  ['groups', () => '/v1/groups', 52],
  ['groups, descending', () => '/v1/groups?asc_order=false', 52],
  ['members of a large group', () => `/v1/groups/${large}/members`, PEOPLE],
  ['members of a small group', () => `/v1/groups/${small}/members`, 40],
])('pages of %s have each row once, in order', async (name, path, total) => {
  const size = total > 100 ? 250 : 9;
  const rows: Record<string, string>[] = [];
  for (let page = 1; page <= Math.ceil(total / size) + 1; page += 1) {
    const url = `${path()}${path().includes('?') ? '&' : '?'}page_size=${size}&page_number=${page}`;
    const { body } = await admin.call('GET', url);
    expect(body).toMatchObject({ current_page: page, total });
    rows.push(...body.results);
  }
  const keys = rows.map((row) =>
    (row.name ?? `${row.first_name} ${row.last_name} ${row.username}`).toLowerCase(),
  );
  const sorted = keys.toSorted();
  expect(keys).toEqual(name.endsWith('descending') ? sorted.toReversed() : sorted);
  expect(new Set(rows.map(({ guid }) => guid)).size).toBe(total);
});

test.each(['name', 'created', 'last_deployed_time'])(
  'pages of content by %s have each item once',
  async (sort) => {
    const isWhole = ({ name }: { name: string }) => name.startsWith(`by-${sort}-`);
    for (let i = 0; i < 23; i += 1)
      await admin.call('POST', '/v1/content', { body: { name: `by-${sort}-${'Mmn'[i % 3]}${i}` } });
    for (const order of ['asc', 'desc']) {
      const query = `/v1/search/content?sort=${sort}&order=${order}`;
      const whole = (await admin.call('GET', `${query}&page_size=500`)).body;
      expect(whole.results.filter(isWhole)).toHaveLength(23);
      const paged: { guid: string }[] = [];
      for (let page = 1; page <= Math.ceil(whole.total / 5) + 1; page += 1)
        paged.push(...(await admin.call('GET', `${query}&page_size=5&page_number=${page}`)).body.results);
      expect(paged.map(({ guid }) => guid)).toEqual(whole.results.map(({ guid }: { guid: string }) => guid));
      const names: string[] = whole.results.map(({ name }: { name: string }) => name.toLowerCase());
      const ascending = order === 'asc' ? names : names.toReversed();
      if (sort === 'name') expect(ascending).toEqual(names.toSorted());
    }
  },
);

test('portions of users keep their counts while users are added, renamed and deleted', async () => {
  const { storage } = server.running.services;
  const portions = () =>
    storage.db
      .selectFrom('user_portion')
      .select(['n', ...USER_ORDER])
      .orderBy(sql.raw(USER_ORDER.join(', ')))
      .execute();
  const counted = async () => {
    const users = storage.db.selectFrom('user_account').select(sql<number>`count(*)`.as('n'));
    const from = await Promise.all(
      (await portions()).map((start) => users.where(isFrom(start)).executeTakeFirstOrThrow()),
    );
    return from.map(({ n }, at) => n - (from[at + 1]?.n ?? 0));
  };
  const check = async () => {
    const stored = (await portions()).map(({ n }) => n);
    expect(stored).toEqual(await counted());
    expect(await countAll(storage.db)).toBe(stored.reduce((sum, n) => sum + n));
  };
  expect((await portions()).length).toBeGreaterThan(8);
  await check();
  await storage.write(async (tx) => {
    // Many by one statement, to and from different portions; and one that stays in its own.
    await sql`update user_account set first_name_key = 'zz' where username_key like 'p1%'`.execute(tx);
    await sql`update user_account set email = 'new@example.com' where username_key = 'p20'`.execute(tx);
  });
  await check();
  await storage.write(async (tx) => {
    await sql`delete from group_member where user_guid in (select guid from user_account where username_key like 'p3%')`.execute(
      tx,
    );
    await sql`delete from user_account where username_key like 'p3%'`.execute(tx);
    await cutPortions(tx, 100);
  });
  await check();
  const user = await server.person('viewer');
  await check();
  await user.call('PUT', `/v1/users/${user.guid}`, { body: { first_name: 'Aaron' } });
  await check();
  expect(Math.max(...(await portions()).map(({ n }) => n))).toBeLessThanOrEqual(201);
});

test('members of a group stay in the order of users while they are renamed, added and removed', async () => {
  const { db } = server.running.services.storage;
  const user = await server.person('viewer', { first_name: 'First3', last_name: 'Last' });
  const members = `/v1/groups/${small}/members`;
  await admin.call('POST', members, { body: { user_guid: user.guid } });
  const places = async () => {
    const pages = [1, 2, 3].map((page) => admin.call('GET', `${members}?page_size=20&page_number=${page}`));
    const rows = (await Promise.all(pages)).flatMap(({ body }) => body.results);
    expect((await admin.call('GET', members)).body.results).toEqual(rows);
    const those = rows.map(({ guid }) => guid);
    const { rows: sorted } = await sql<{ guid: string }>`select guid from user_account
      where guid in (select user_guid from group_member where group_guid = ${small})
      order by ${sql.raw(USER_ORDER.join(', '))}`.execute(db);
    expect(those).toEqual(sorted.map(({ guid }) => guid));
    return { place: those.indexOf(user.guid), last: those.length - 1 };
  };
  const { place, last } = await places();
  expect(place).toBeGreaterThan(0);
  expect(place).toBeLessThan(last);
  await user.call('PUT', `/v1/users/${user.guid}`, { body: { first_name: 'Aaron' } });
  expect(await places()).toEqual({ place: 0, last });
  await user.call('PUT', `/v1/users/${user.guid}`, { body: { first_name: 'Zzz' } });
  expect(await places()).toEqual({ place: last, last });
  await admin.call('DELETE', `${members}/${user.guid}`);
  expect(await places()).toEqual({ place: -1, last: last - 1 });
});
