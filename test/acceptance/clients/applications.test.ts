// Covers GET /applications as rsconnect for R, connectapi, and pins for R and Python use it: pages and filters.
import { publish, refused, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let server: TestServer;
let owner: Person;
let mine: string;
beforeAll(async () => {
  server = await startTestServer({ own: true });
  owner = await server.person('publisher');
  mine = `filter=account_id:${owner.guid}`;
  for (const name of ['list-1', 'list-2', 'list-3', 'list-4', 'list-5'])
    await owner.call('POST', '/v1/content', { body: { name, description: `the ${name}` } });
});
afterAll(() => server[Symbol.asyncDispose]());

const list = async (query: string, person = owner) =>
  (await person.call('GET', `/applications?${query}`)).body;
const names = ({ applications }: { applications: { name: string }[] }) =>
  applications.map(({ name }) => name);
const ALL = ['list-1', 'list-2', 'list-3', 'list-4', 'list-5'];

describe('Paging of GET /applications', () => {
  test('start counts from 1, and 0 means 1', async () => {
    expect(names(await list(`${mine}&count=2&start=0`))).toEqual(['list-1', 'list-2']);
    expect(names(await list(`${mine}&count=2&start=1`))).toEqual(['list-1', 'list-2']);
    expect(names(await list(`${mine}&count=2&start=3`))).toEqual(['list-3', 'list-4']);
    expect(names(await list(`${mine}&count=2&offset=3`))).toEqual(['list-4', 'list-5']);
  });

  // rsconnect 1.0 and later pages by start, total and cont.
  test.each([1, 2, 3, 5, 6])(
    'paging by start, cont and total returns each item once, %i at a time',
    async (count) => {
      const found: string[] = [];
      let [start, cont] = [0, ''];
      for (let requests = 0; requests < 10; requests += 1) {
        const page = await list(`${mine}&count=${count}&start=${start}&cont=${cont}`);
        found.push(...names(page));
        start += page.count;
        cont = page.continuation;
        if (found.length >= page.total) break;
      }
      expect(found).toEqual(ALL);
    },
  );

  // Some clients stop at an empty page, some at an empty continuation. Older connectapi puts it into a URL, so it is a string.
  test.each(['page', 'continuation'])('following continuation ends when the %s is empty', async (until) => {
    const found: string[] = [];
    let [cont, requests] = ['', 0];
    for (; requests < 10; requests += 1) {
      const page = await list(`${mine}&count=2&cont=${cont}`);
      expect(typeof page.continuation).toBe('string');
      found.push(...names(page));
      if (until === 'page' ? page.applications.length === 0 : page.continuation === '') break;
      cont = page.continuation;
    }
    expect([found, requests]).toEqual([ALL, 3]);
  });

  test('a deletion between requests does not shift the pages', async () => {
    const other = await server.person('publisher');
    const made: string[] = [];
    for (const name of ['gone-1', 'gone-2', 'gone-3'])
      made.push((await other.call('POST', '/v1/content', { body: { name } })).body.guid);
    const theirs = `filter=account_id:${other.guid}`;
    const first = await list(`${theirs}&count=2`, other);
    await other.call('DELETE', `/v1/content/${made[0]}`);
    expect(names(await list(`${theirs}&count=2&start=2&cont=${first.continuation}`, other))).toEqual([
      'gone-3',
    ]);
  });

  test('accepts any positive count, and rejects an invalid continuation', async () => {
    expect(names(await list(`${mine}&count=10000`))).toEqual(ALL);
    expect(names(await list(`${mine}&count=2147483648`))).toEqual(ALL);
    expect(await owner.call('GET', '/applications?count=0')).toMatchObject(refused(400, 13));
    expect(await owner.call('GET', '/applications?cont=nonsense')).toMatchObject(refused(400, 25));
  });
});

describe('Entries and filters', () => {
  test('pins are found by content type, with the fields that pins reads', async () => {
    const metadata = { content_category: 'pin' };
    const fields = { name: 'mtcars', title: 'Motor cars', description: 'Thirty-two of them' };
    const { guid } = await publish(owner, { 'index.html': 'pin', 'data.txt': 'x' }, { metadata, fields });
    const pins = await list('count=1000&filter=content_type:pin');
    expect(pins).toMatchObject({ count: 1, total: 1 });
    expect(pins.applications[0]).toMatchObject({
      guid,
      name: 'mtcars',
      title: 'Motor cars',
      description: 'Thirty-two of them',
      content_category: 'pin',
      app_mode: 4,
      access_type: 'all',
      owner_guid: owner.guid,
      owner_username: owner.username,
    });
    expect(names(await list('filter=content_type:pin&search=thirty-two'))).toEqual(['mtcars']);
    expect(names(await list('filter=content_type:pin&search=other'))).toEqual([]);
    expect(names(await list('filter=content_type:static'))).toEqual(['mtcars']);
    expect(names(await list('filter=content_type:shiny'))).toEqual([]);
  });

  test('the kind is a number, by which rsconnect-jupyter selects what it offers to replace', async () => {
    const { guid } = await publish(owner, { 'index.html': 'page' }, { fields: { name: 'a-notebook' } });
    const query = 'filter=min_role:editor&search=a-notebook&count=5';
    expect((await list(query)).applications).toMatchObject([{ guid, app_mode: 4 }]);
    expect((await owner.call('GET', `/applications/${guid}`)).body).toMatchObject({ app_mode: 4 });
  });

  test('filters by owner name and by the caller’s minimum role', async () => {
    const other = await server.person('publisher');
    await other.call('POST', '/v1/content', { body: { name: 'for-all', access_type: 'logged_in' } });
    const theirs = `filter=owner_username:${other.username}`;
    expect(names(await list(theirs))).toEqual(['for-all']);
    expect(names(await list(`${theirs}&filter=min_role:viewer`))).toEqual(['for-all']);
    expect(names(await list(`${theirs}&filter=min_role:owner`))).toEqual([]);
    expect(names(await list(`${theirs}&${mine}`))).toEqual([]);
    expect(names(await list('filter=owner_username:nobody'))).toEqual([]);
  });
});

test('each caller sees the same items as in the unpaged list', async () => {
  const admin = await server.administrator();
  const people = [owner, admin, await server.person('publisher'), await server.person('viewer')];
  const group = (await admin.call('POST', '/v1/groups', { body: { name: 'all' } })).body.guid;
  for (const { guid } of people.slice(1))
    await admin.call('POST', `/v1/groups/${group}/members`, { body: { user_guid: guid } });
  for (const access_type of ['acl', 'logged_in'])
    for (const [i, role] of [null, 'viewer', 'owner'].entries())
      for (const principal of [null, group, ...people.map(({ guid }) => guid)]) {
        const name = `${access_type}-${i}-${principal === null ? '' : principal.slice(0, 8)}`;
        const made = (await owner.call('POST', '/v1/content', { body: { name, access_type } })).body;
        const body = {
          principal_guid: principal,
          principal_type: principal === group ? 'group' : 'user',
          role,
        };
        if (role !== null && principal !== null)
          await owner.call('POST', `/v1/content/${made.guid}/permissions`, { body });
      }
  const ROLES = ['none', 'viewer', 'editor', 'owner'];
  const counts = new Set<number>();
  for (const person of people) {
    const rows: { guid: string; app_role: string }[] = (await person.call('GET', '/v1/content')).body;
    for (const least of ROLES) {
      const filter = least === 'none' ? '' : `filter=min_role:${least}&`;
      const page = await list(`${filter}count=1000`, person);
      const expected = rows.filter(({ app_role }) => ROLES.indexOf(app_role) >= ROLES.indexOf(least));
      expect(page.applications.map(({ guid }: { guid: string }) => guid)).toEqual(
        expected.map(({ guid }) => guid),
      );
      expect(page.total).toBe(expected.length);
      counts.add(page.total);
    }
  }
  expect(counts.size).toBeGreaterThan(4);
});

test('a start beyond the end returns an empty page', async () => {
  for (const start of ['1000000', '9007199254740991'])
    expect((await list(`start=${start}`)).applications).toEqual([]);
});

test('viewers who only see themselves do not get the owner’s name', async () => {
  await using alone = await startTestServer({
    settings: { 'Authorization.ViewersCanOnlySeeThemselves': true },
  });
  const [publisher, viewer] = [await alone.person('publisher'), await alone.person('viewer')];
  const body = { name: 'for-all', access_type: 'logged_in' };
  const { guid } = (await publisher.call('POST', '/v1/content', { body })).body;
  expect((await list('', viewer)).applications).toMatchObject([{ guid, owner_username: '' }]);
  expect((await list(`filter=owner_username:${publisher.username}`, viewer)).applications).toEqual([]);
  expect((await viewer.call('GET', `/applications/${guid}`)).body).toMatchObject({ owner_username: '' });
});
