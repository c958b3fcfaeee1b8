// Covers numbers that moved between two bundles, in the tables that readers see.
import { publish, startTestServer, upload, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const page = (north: string, south: string) => ({
  'index.html': `<title>Sales</title><table><caption>Sales</caption><tr><th>Region</th><th>Euro</th></tr>
<tr><td>North</td><td>${north}</td></tr><tr><td>South</td><td>${south}</td></tr></table>`,
});

test('compares the active bundle with an upload or a draft, in both directions', async () => {
  const person = await server.person('publisher');
  const { guid } = await publish(person, page('1,000', '20'));
  const [{ id: first }] = (await person.call('GET', `/v1/content/${guid}/bundles`)).body;
  const second = await upload(person, guid, page('1,250', '20'));
  const moved = { table: 'Sales', row: 'North', column: 'Euro' };
  const compared = await person.call('GET', `/v1/content/${guid}/bundles/${second}/numbers`);
  expect(compared).toMatchObject({
    status: 200,
    body: {
      before: { bundle_id: first },
      after: { bundle_id: second },
      moved: [{ ...moved, before: '1,000', after: '1,250', difference: 250, percent: 25 }],
      more: 0,
    },
  });
  const back = await person.call('GET', `/v1/content/${guid}/bundles/${first}/numbers?since=${second}`);
  expect(back.body.moved).toMatchObject([{ ...moved, difference: -250, percent: -20 }]);
  const same = await person.call('GET', `/v1/content/${guid}/bundles/${first}/numbers`);
  expect(same.body).toMatchObject({ moved: [], more: 0 });
});

test('rejects a bundle of other content, and viewers', async () => {
  const person = await server.person('publisher');
  const { guid } = await publish(person, page('1', '2'));
  const other = await publish(person, page('3', '4'));
  const [{ id }] = (await person.call('GET', `/v1/content/${other.guid}/bundles`)).body;
  expect(await person.call('GET', `/v1/content/${guid}/bundles/${id}/numbers`)).toMatchObject({
    status: 404,
    body: { code: 4 },
  });
  const viewer = await server.person('viewer');
  expect((await viewer.call('GET', `/v1/content/${guid}/bundles/${id}/numbers`)).status).toBe(403);
});

test('a page without a table, or a missing one, has no numbers', async () => {
  const person = await server.person('publisher');
  const { guid } = await publish(person, { 'index.html': 'nothing' });
  const second = await upload(person, guid, page('1', '2'));
  expect((await person.call('GET', `/v1/content/${guid}/bundles/${second}/numbers`)).body.moved).toEqual([]);
});
