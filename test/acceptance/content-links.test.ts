// Covers links to content: found when content goes live, shown to those who may see it.
import { publish, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

let server: TestServer;
let owner: Person;

beforeAll(async () => {
  server = await startTestServer();
  owner = await server.person('publisher');
});
afterAll(() => server[Symbol.asyncDispose]());

const page = async (text: string, fields: Record<string, unknown> = {}, by = owner) =>
  (await publish(by, { 'index.html': text }, { fields })).guid;
const linksTo = async (guid: string, by = owner) =>
  (await by.call('GET', `/v1/content/${guid}/links`)).body as {
    results: { content_guid: string; content_title: string | null }[];
    total: number;
  };
/** The search for links starts after content has gone live. */
async function waitForLinks(guid: string, total: number) {
  await expect.poll(async () => (await linksTo(guid)).total).toBe(total);
  return linksTo(guid);
}

test('a page links to content by its GUID or vanity path on this server', async () => {
  const target = await page('<p>', { title: 'Data' });
  const vanity = `/quarter-${target.slice(0, 8)}/`;
  await owner.call('PUT', `/v1/content/${target}/vanity`, { body: { path: vanity } });
  const byGuid = await page(`<a href="https://other.example/content/${target.toUpperCase()}/x">`, {
    title: 'GUID',
  });
  const byPath = await page(`<a href="${vanity}table.html">`, { title: 'Path' });
  const { results } = await waitForLinks(target, 2);
  expect(results.map((one) => one.content_guid).toSorted()).toEqual([byGuid, byPath].toSorted());

  const elsewhere = await page(
    `<a href="https://other.example${vanity}"> ${vanity} <a href="/content/${byGuid}/">`,
  );
  const { results: ofPage } = await waitForLinks(byGuid, 1);
  expect(ofPage.map((one) => one.content_guid)).toEqual([elsewhere]);
  expect((await linksTo(target)).total).toBe(2);
});

test('republishing replaces the links; a link to itself does not count', async () => {
  const one = await page('<p>');
  const two = await page('<p>');
  const from = await page(`/content/${one}/`);
  await waitForLinks(one, 1);
  await publish(owner, { 'index.html': `/content/${two}/ /content/${from}/` }, { guid: from });
  await waitForLinks(two, 1);
  expect(await linksTo(one)).toEqual({ results: [], total: 0 });
  expect(await linksTo(from)).toEqual({ results: [], total: 0 });

  await owner.call('DELETE', `/v1/content/${from}`);
  expect(await linksTo(two)).toEqual({ results: [], total: 0 });
});

test('links from content hidden from the reader are counted without names', async () => {
  const target = await page('<p>', { access_type: 'acl' });
  const other = await server.person('publisher');
  await page(`/content/${target}/`, { access_type: 'acl' }, other);
  await waitForLinks(target, 1);
  expect(await linksTo(target)).toEqual({ results: [], total: 1 });
  expect((await other.call('GET', `/v1/content/${target}/links`)).status).toBe(403);
});

test('only text files are scanned for links, not binary files or symbolic links', async () => {
  const target = await page('<p>');
  const from = await publish(owner, {
    'index.html': '<p>',
    'data.bin': `/content/${target}/`,
    'deep/er/app.js': `fetch("/content/${target}/data.json")`,
  });
  const { results } = await waitForLinks(target, 1);
  expect(results.map((one) => one.content_guid)).toEqual([from.guid]);
});
