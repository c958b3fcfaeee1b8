// Covers searches by prefix: every page returns the first one, as the contract says, so a client stops by the total.
import { startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

let server: TestServer;
let owner: Person;
beforeAll(async () => {
  server = await startTestServer({ own: true });
  owner = await server.person('publisher');
  for (const username of ['same1', 'same2', 'same3']) await server.person('viewer', { username });
  for (const name of ['same1', 'same2', 'same3']) await owner.call('POST', '/v1/groups', { body: { name } });
});
afterAll(() => server[Symbol.asyncDispose]());

test.each(['users', 'groups'])('a client paging through %s sends one request', async (what) => {
  for (const size of [1, 2, 3, 20]) {
    const found: string[] = [];
    let requests = 0;
    for (let page = 1; requests < 5; page += 1) {
      const query = `prefix=same&page_number=${page}&page_size=${size}`;
      const { results, total, current_page } = (await owner.call('GET', `/v1/${what}?${query}`)).body;
      requests += 1;
      expect(current_page).toBe(1);
      found.push(...results.map(({ guid }: { guid: string }) => guid));
      if (results.length === 0 || found.length >= total) break;
    }
    expect([requests, found.length, new Set(found).size]).toEqual([1, Math.min(size, 3), Math.min(size, 3)]);
  }
});

test('pins for Python, which pages until a page is empty, gets each user once', async () => {
  const found: string[] = [];
  for (let page = 1; page < 5; page += 1) {
    const query = `prefix=same&walk_pages=True&page_number=${page}&page_size=2`;
    const { results, current_page, total } = (await owner.call('GET', `/v1/users?${query}`)).body;
    expect([current_page, total]).toEqual([page, 3]);
    if (results.length === 0) break;
    found.push(...results.map(({ username }: { username: string }) => username));
  }
  expect(found).toEqual(['same1', 'same2', 'same3']);
});

test('without a prefix the total counts all pages', async () => {
  const { total, results } = (await owner.call('GET', '/v1/groups?page_size=2')).body;
  expect([total, results.length]).toEqual([3, 2]);
});
