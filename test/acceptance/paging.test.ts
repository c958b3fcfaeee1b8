// Covers keyset pages of the audit log, visits and sessions (contract, 1, 4.1 and 4.5), and what is recorded.
import { makeArchive, refused, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const NOBODY = '00000000-0000-0000-0000-000000000000';

let server: TestServer;
let admin: Person;
let owner: Person;
beforeAll(async () => {
  server = await startTestServer({ own: true });
  [admin, owner] = [await server.administrator(), await server.person('publisher')];
});
afterAll(() => server[Symbol.asyncDispose]());

/** Follows the paging links from the first page to the last. */
async function walk(call: Person['call'], path: string, link: 'next' | 'previous' = 'next') {
  const pages = [];
  let url: string | null = path;
  while (url !== null) {
    const page: { results: { id?: string }[]; paging: Record<string, string | null> } = (
      await call('GET', url)
    ).body;
    pages.push(page);
    url = page.paging[link]?.replace(/^.*__api__/, '') ?? null;
  }
  return pages;
}

describe('Audit log', () => {
  const ids = (pages: { results: { id?: string }[] }[]) =>
    pages.flatMap((page) => page.results.map((row) => Number(row.id)));

  test('returns the fields in order, and every action so far', async () => {
    const { body } = await admin.call('GET', '/v1/audit_logs');
    expect(Object.keys(body.results[0])).toEqual([
      'id',
      'time',
      'user_id',
      'user_description',
      'action',
      'event_description',
    ]);
    const actions = body.results.map((row: { action: string }) => row.action);
    expect(actions).toEqual(expect.arrayContaining(['add_user', 'add_api_key']));
    expect(body.results[2].user_description).toBe('Ada (admin)');
  });

  test('returns each row once when read to the end in either direction', async () => {
    const up = ids(await walk(admin.call, '/v1/audit_logs?limit=2'));
    expect(up).toEqual([...new Set(up)].sort((a, b) => a - b));
    expect(up.length).toBeGreaterThan(3);
    const down = ids(await walk(admin.call, '/v1/audit_logs?limit=2&ascOrder=false'));
    expect(down).toEqual(up.toReversed());
  });

  test('returns paging links as documented, forwards and backwards', async () => {
    const pages = await walk(admin.call, '/v1/audit_logs?limit=2');
    const [first, last] = [pages[0]!.paging, pages.at(-1)!.paging];
    expect(first).toMatchObject({ first: null, previous: null });
    expect(last).toMatchObject({ last: null, next: null });
    expect(first.last).toContain('last=true');
    expect(first.last).toContain('limit=2');
    const fromEnd = await walk(admin.call, '/v1/audit_logs?limit=2&last=true', 'previous');
    expect(ids(fromEnd.toReversed())).toEqual(ids(pages));
  });

  test.each(['true', 'false'])('ascOrder=%s: links lead back from an empty page', async (order) => {
    const path = `/v1/audit_logs?limit=1&ascOrder=${order}`;
    const page = async (url: string) => (await admin.call('GET', url.replace(/^.*__api__/, ''))).body;
    const first = await page(path);
    const before = await page(`${path}&previous=${first.paging.cursors.next}`);
    expect(before).toMatchObject({ results: [], paging: { first: null, previous: null } });
    expect(ids([await page(before.paging.next)])).toEqual(ids([first]));
    expect(ids([await page(`${path}&next=${before.paging.cursors.next}`)])).toEqual(ids([first]));
    const last = await page(`${path}&last=true`);
    const behind = await page(`${path}&next=${last.paging.cursors.previous}`);
    expect(behind).toMatchObject({ results: [], paging: { last: null, next: null } });
    expect(ids([await page(behind.paging.previous)])).toEqual(ids([last]));
  });

  test('keeps its pages while entries are added', async () => {
    const { body } = await admin.call('GET', '/v1/audit_logs?limit=3');
    const next = body.paging.next.replace(/^.*__api__/, '');
    const before = ids([(await admin.call('GET', next)).body]);
    await server.person('viewer');
    expect(ids([(await admin.call('GET', next)).body]).slice(0, before.length)).toEqual(before);
  });

  test.each(['limit=0', 'limit=501', 'limit=x', 'next=abc', 'next=a&previous=b', 'ascOrder=perhaps'])(
    'rejects %s',
    async (query) => expect((await admin.call('GET', `/v1/audit_logs?${query}`)).status).toBe(400),
  );

  test('cannot be changed by any method', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(await admin.call(method, '/v1/audit_logs')).toMatchObject(refused(404, 2));
    }
  });
});

describe('Visits', () => {
  let guid: string;
  beforeAll(async () => {
    guid = (await owner.call('POST', '/v1/content', { body: { name: 'visited', access_type: 'all' } })).body
      .guid;
    await owner.call('POST', `/v1/content/${guid}/bundles`, {
      raw: makeArchive({ 'index.html': 'x', 'a.css': '' }),
    });
    const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`)).body;
    await owner.call('GET', `/v1/tasks/${task_id}?wait=20`);
    await server.anonymous('GET', `//content/${guid}/`);
    await owner.call('GET', `//content/${guid}/`);
    await owner.call('GET', `//content/${guid}/a.css`);
    // Visits are written in the background, and the rest when the server stops.
    await server.restart();
  });

  const visits = async (query = '', who = owner) =>
    (await who.call('GET', `/v1/instrumentation/content/visits${query}`)).body;

  test('are recorded for pages, signed in or not, with the fields in order', async () => {
    const { results } = await visits();
    expect(results).toMatchObject([
      { content_guid: guid, user_guid: NOBODY, rendering_id: null, variant_key: null, data_version: 1 },
      { content_guid: guid, user_guid: owner.guid },
    ]);
    expect(results[0].bundle_id).toEqual(expect.any(Number));
    expect(Object.keys(results[0])).toEqual([
      'content_guid',
      'user_guid',
      'variant_key',
      'time',
      'rendering_id',
      'bundle_id',
      'data_version',
      'path',
    ]);
  });

  test('are filtered by content, window and data version; bounds are inclusive', async () => {
    const { results } = await visits();
    const [a, b] = results.map((row: { time: string }) => row.time);
    const count = async (query: string) => (await visits(query)).results.length;
    const other = '11111111-1111-4111-8111-111111111111';
    expect(await count(`?content_guid=${guid}`)).toBe(2);
    expect(await count(`?content_guid=${other}|${guid.toUpperCase()}`)).toBe(2);
    expect(await count(`?content_guid=${other}&content_guid=${guid}`)).toBe(0);
    expect(await count(`?from=${a}`)).toBe(2);
    expect(await count(`?to=${new Date(Date.parse(a) - 1).toISOString()}`)).toBe(0);
    expect(await count(`?from=${new Date(Date.parse(b) + 1).toISOString()}`)).toBe(0);
    expect(await count('?min_data_version=2')).toBe(0);
    expect(await count('?min_data_version=0')).toBe(2);
  });

  test.each([
    ['content_guid=abc', 11],
    ['from=yesterday', 136],
    ['to=2026-02-30', 136],
    ['limit=0', 13],
    ['min_data_version=x', 25],
  ])('reject %s', async (query, code) => {
    const response = await owner.call('GET', `/v1/instrumentation/content/visits?${query}`);
    expect(response).toMatchObject(refused(400, code));
  });

  test('are visible to the owner and administrators, but not to other publishers', async () => {
    const stranger = await server.person('publisher');
    expect((await visits('', stranger)).results).toEqual([]);
    expect((await visits('', admin)).results).toHaveLength(2);
  });

  test('sessions of applications have a listing of their own', async () => {
    const response = await owner.call('GET', '/v1/instrumentation/shiny/usage?asc_order=0');
    expect(response.body).toEqual({
      paging: {
        cursors: { next: null, previous: null },
        first: null,
        last: null,
        next: null,
        previous: null,
      },
      results: [],
    });
  });
});
