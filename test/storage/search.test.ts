// Search for content, on both engines: which words find what, and texts that a server of an earlier version changed.
import { refused, startTestServer, type Person } from '@pressroom/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let server: Awaited<ReturnType<typeof startTestServer>>;
let admin: Person;
let owner: Person;
const guids = new Map<string, string>();

beforeAll(async () => {
  server = await startTestServer({ settings: { 'Authorization.ViewersCanOnlySeeThemselves': true } });
  admin = await server.administrator();
  owner = await server.person('publisher', { username: 'jdoe', first_name: 'Zoë', last_name: 'ÖZTÜRK' });
  for (const [name, title, description] of [
    ['sales', 'ÜBERSICHT der Verkäufe', 'quarterly numbers, 100 % complete'],
    ['back_up', 'ΟΔΟΣ', String.raw`reads C:\data`],
    ['empty', null, ''],
  ] as const) {
    const fields = { name, title, description, access_type: 'logged_in' };
    guids.set(name, (await owner.call('POST', '/v1/content', { body: fields })).body.guid);
  }
  await admin.call('POST', '/v1/content', { body: { name: 'of-the-administrator' } });
  const category = (await admin.call('POST', '/v1/tags', { body: { name: 'Área' } })).body.id;
  const tag = (await admin.call('POST', '/v1/tags', { body: { name: 'Größe XL', parent_id: category } }))
    .body;
  await owner.call('POST', `/v1/content/${guids.get('empty')}/tags`, { body: { tag_id: tag.id } });
});
afterAll(() => server[Symbol.asyncDispose]());

async function found(q: string, caller = owner): Promise<string[]> {
  const { body } = await caller.call('GET', `/v1/search/content?q=${encodeURIComponent(q)}`);
  expect(body.total).toBe(body.results.length);
  return body.results.map(({ name }: { name: string }) => name);
}

test.each([
  ['a word of the title, in any case', 'übersicht', ['sales']],
  ['a word of the description', 'QUARTERLY', ['sales']],
  ['Greek with a final sigma', 'οδος', ['back_up']],
  ['two words of different texts', 'verkäufe numbers', ['sales']],
  ['one word of two that is nowhere', 'verkäufe nowhere', []],
  ['a percent sign, which stands for itself', '100 %', ['sales']],
  ['an underscore, which stands for itself', '_', ['back_up']],
  ['a backslash', '\\', ['back_up']],
  ['two per cent signs', '%%', []],
  ['the username of the owner', 'jdoe', ['back_up', 'empty', 'sales']],
  ['the full name of the owner', '"zoë öztürk"', ['back_up', 'empty', 'sales']],
  ['the owner and a word', 'öztürk übersicht', ['sales']],
  ['a tag', 'größe', ['empty']],
  ['a tag and the owner', '"größe xl" jdoe', ['empty']],
  ['an owner', 'owner:jdoe', ['back_up', 'empty', 'sales']],
  ['part of the name of an owner', 'owner:öz', ['back_up', 'empty', 'sales']],
  ['part of a username as an owner', 'owner:jdo', []],
  ['oneself and a word', 'owner:@me numbers', ['sales']],
  ['the same word twice', 'numbers numbers', ['sales']],
])('finds by %s', async (_, q, names) => {
  expect(await found(q)).toEqual(names);
});

test('a GUID, whole or in part, finds its content', async () => {
  const guid = guids.get('sales')!;
  expect(await found(guid)).toEqual(['sales']);
  expect(await found(guid.slice(0, 13).toUpperCase())).toEqual(['sales']);
});

test('a search with a NUL is refused', async () => {
  for (const path of [
    '/v1/search/content?q=numb%00ers',
    '/v1/search/content?q=owner:jdoe%00',
    '/applications?search=%00',
  ])
    expect(await owner.call('GET', path)).toMatchObject(refused(400, 25));
});

test('a search has at most a hundred words', async () => {
  const words = (count: number) => Array.from({ length: count }, (_, i) => `a${i}`).join(' ');
  expect(await found(words(100))).toEqual([]);
  for (const q of [words(101), `${words(100)} owner:jdoe`])
    expect(await owner.call('GET', `/v1/search/content?q=${encodeURIComponent(q)}`)).toMatchObject(
      refused(400, 25),
    );
});

test('who may not see other accounts finds nothing by their names', async () => {
  const viewer = await server.person('viewer');
  expect(await found('übersicht', viewer)).toEqual(['sales']);
  expect(await found('jdoe', viewer)).toEqual([]);
  expect(await found('owner:jdoe', viewer)).toEqual([]);
  expect(await found('jdoe', admin)).toEqual(['back_up', 'empty', 'sales']);
  expect(await found(`owner:@me`, admin)).toEqual(['of-the-administrator']);
});

test('older clients find by name, title and description alone', async () => {
  const named = async (search: string) => {
    const { body } = await owner.call('GET', `/applications?search=${encodeURIComponent(search)}`);
    return body.applications.map(({ name }: { name: string }) => name);
  };
  expect(await named('ÜBERSICHT DER')).toEqual(['sales']);
  expect(await named('sales')).toEqual(['sales']);
  expect(await named('jdoe')).toEqual([]);
  expect(await named(guids.get('sales')!)).toEqual([]);
});

test('what is changed is found by its new text at once, and what is deleted no more', async () => {
  const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'passing' } })).body;
  await owner.call('PATCH', `/v1/content/${guid}`, { body: { title: 'Ärmel' } });
  expect(await found('ärmel')).toEqual(['passing']);
  await owner.call('PATCH', `/v1/content/${guid}`, { body: { title: 'Kragen' } });
  expect([await found('ärmel'), await found('kragen')]).toEqual([[], ['passing']]);
  await owner.call('DELETE', `/v1/content/${guid}`);
  expect(await found('kragen')).toEqual([]);
});

describe('A search that finds thousands', () => {
  /** All but one are for all users. */
  const COUNT = 5100;
  const HIDDEN = 77;
  const numbers = Array.from({ length: COUNT }, (_, i) => i + 1);
  beforeAll(async () => {
    const { storage } = server.running.services;
    const guid = sql`'c0ffee00-0000-4000-8000-' || substr(cast(1000000000000 + i as text), 2)`;
    await storage.write((tx) =>
      sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(COUNT)})
        insert into content (guid, name, description, owner_guid, access_type, app_mode, content_category,
          has_parameters, git_managed, created_time)
        select ${guid}, 'many' || i, 'Plenty', ${sql.lit(admin.guid)},
          case i when ${sql.lit(HIDDEN)} then 'acl' else 'logged_in' end, 'unknown', '', 0, 0, i from n`.execute(
        tx,
      ),
    );
  });
  afterAll(() =>
    server.running.services.storage.write((tx) =>
      tx.deleteFrom('content').where('name', 'like', 'many%').execute(),
    ),
  );

  test.each([
    ['an administrator', () => admin, numbers],
    ['a publisher', () => owner, numbers.filter((i) => i !== HIDDEN)],
  ])('has pages for %s with each item once, in order', async (_, caller, seen) => {
    for (const [number, from] of [
      [1, 0],
      [2, 100],
      [51, 5000],
    ] as const) {
      const expected = seen.slice(from, from + 100).map((i) => `many${i}`);
      const page = `sort=created&order=asc&page_size=100&page_number=${number}`;
      const { body } = await caller().call('GET', `/v1/search/content?q=plenty&${page}`);
      expect(body.results.map(({ name }: { name: string }) => name)).toEqual(expected);
      const span = `count=100&start=${from + 1}`;
      const older = (await caller().call('GET', `/applications?search=plenty&${span}`)).body;
      expect(older.applications.map(({ name }: { name: string }) => name)).toEqual(expected);
      expect([body.total, older.total]).toEqual([seen.length, seen.length]);
    }
  });
});

describe('A text that a server of an earlier version changed', () => {
  const change = (title: string) =>
    server.running.services.storage.write(async (tx) => {
      await sql`update content set title = ${title} where guid = ${guids.get('empty')}`.execute(tx);
    });
  const missing = async () => {
    const { db } = server.running.services.storage;
    return (await sql`select 1 from content_text where lowercase is null`.execute(db)).rows.length;
  };

  test('is found at once', async () => {
    await change('Nachträglich');
    expect(await found('nachträglich')).toEqual(['empty']);
    expect(await missing()).toBe(0);
  });

  test('is written after the next start', async () => {
    await change('Später');
    await server.restart();
    await expect.poll(missing).toBe(0);
  });
});
