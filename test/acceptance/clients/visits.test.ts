// Covers visits as connectapi queries them: of a plot, and in a window with time offsets.
import { publish, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, NAVIGATION } from '../raw-request.ts';

let server: TestServer;
let owner: Person;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.person('publisher');
});
afterAll(() => server[Symbol.asyncDispose]());

const PNG = Buffer.from('iVBORw0KGgo=', 'base64');
const visitsOf = async (guid: string, query = '') =>
  (await owner.call('GET', `/v1/instrumentation/content/visits?content_guid=${guid}${query}`)).body;

test('only the main file of a plot counts as a visit', async () => {
  const metadata = { content_category: 'plot', primary_html: 'a plot.png' };
  const files = { 'a plot.png': PNG, 'other.png': PNG };
  const { guid, path } = await publish(owner, files, { metadata });
  for (const file of ['', 'a%20plot.png', 'other.png', 'missing.png']) await owner.call('GET', path + file);
  await owner.call('HEAD', path);
  // The recorder writes buffered visits when the server stops.
  await server.restart();
  const { results } = await visitsOf(guid);
  expect(results).toHaveLength(2);
  expect(results[0]).toMatchObject({ user_guid: owner.guid, rendering_id: null, variant_key: null });
});

test('a visit records the page without its query, as posit-sdk reads it', async () => {
  const { guid, path } = await publish(owner, { 'index.html': 'x', 'a b.html': 'y' });
  for (const page of ['', 'a%20b.html?secret=1', `index.html?${'q'.repeat(100)}`])
    await owner.call('GET', path + page);
  await server.restart();
  const paths = (await visitsOf(guid)).results.map((visit: { path: string }) => visit.path);
  expect(paths).toEqual(['/', '/a%20b.html', '/index.html']);
  const hits = await owner.call('GET', `/v1/instrumentation/content/hits?content_guid=${guid}`);
  expect(hits.body.map((hit: { data: { path: string } }) => hit.data.path)).toEqual(paths);
});

test('a page that a browser loads in advance is a visit once it is opened', async () => {
  const fields = { access_type: 'all' };
  const { guid } = await publish(owner, { 'index.html': 'x', 'next.html': 'y' }, { fields });
  const { location = '' } = (await ask(server.url, `/content/${guid}/`, NAVIGATION)).headers;
  const get = async (page: string, headers: Record<string, string>) =>
    (await ask(location, new URL(page, location).pathname, headers)).status;
  for (let round = 0; round < 2; round += 1) {
    // A browser that got the page would not ask again when it is opened.
    for (const purpose of ['prefetch', 'prefetch;prerender', 'prefetch;anonymous-client-ip'])
      expect(await get('', { ...NAVIGATION, 'sec-purpose': purpose })).toBe(425);
    // It asks again for a page that another one links as a file, with rel=prefetch.
    expect(await get('next.html', { 'sec-fetch-mode': 'no-cors', 'sec-purpose': 'prefetch' })).toBe(200);
    expect(await get('', NAVIGATION)).toBe(200);
  }
  await server.restart();
  const paths = (await visitsOf(guid)).results.map((visit: { path: string }) => visit.path);
  expect(paths).toEqual(['/', '/']);
});

test('accepts time offsets whose + sign is unescaped', async () => {
  const { guid, path } = await publish(owner, { 'index.html': 'x' });
  await owner.call('GET', path);
  await server.restart();
  const { time } = (await visitsOf(guid)).results[0];
  /** Returns a time with an offset for the same moment in another zone. */
  const at = (minutes: number, offset: string) =>
    new Date(Date.parse(time) + minutes * 60_000).toISOString().replace('Z', offset);
  const count = async (from: string, to: string) =>
    (await visitsOf(guid, `&from=${from}&to=${to}`)).results?.length;
  for (const [minutes, offset] of [
    [120, '+02:00'],
    [120, '%2B02:00'],
    [-330, '-05:30'],
    [0, '%2B00:00'],
    [0, 'Z'],
    [0, 'z'],
  ] as const) {
    const same = at(minutes, offset);
    expect([offset, await count(same, same)]).toEqual([offset, 1]);
    // The visit is outside a window that begins an hour later.
    expect([offset, await count(at(minutes + 60, offset), at(minutes + 120, offset))]).toEqual([offset, 0]);
  }
});
