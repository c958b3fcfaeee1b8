// Covers which content has been unused longest, on both engines: by visits, sessions, processes and deploys, in pages.
import { publish, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listByLastUse } from '../../packages/server/src/usage/summary-store.ts';

const DAY = 86_400_000_000;
const NOW = 1_800_000_000_000_000;

let server: TestServer;
let owner: Person;
const guids: Record<string, string> = {};
beforeAll(async () => {
  server = await startTestServer({ settings: {} });
  owner = await server.person('publisher');
  const other = await server.person('publisher');
  const { db } = server.running.services.storage;
  for (const [name, person] of [
    ['visited', owner],
    ['run', owner],
    ['untouched', owner],
    ['redeployed', other],
  ] as const) {
    guids[name] = (await publish(person, { 'index.html': name })).guid;
    const deployed = name === 'redeployed' ? NOW - DAY : NOW - 400 * DAY;
    await db
      .updateTable('content')
      .set({ last_deployed_time: deployed })
      .where('guid', '=', guids[name])
      .execute();
  }
  const { visited, run } = guids as Record<'visited' | 'run', string>;
  const visit = {
    content_guid: visited,
    user_guid: null,
    bundle_id: 1,
    rendering_id: null,
    variant_key: null,
  };
  const visits = [200, 50].map((days) => ({ ...visit, data_version: 1, path: null, time: NOW - days * DAY }));
  await db.insertInto('visit').values(visits).execute();
  const job = { key: 'j1', content_guid: run, bundle_id: 1, tag: 'run_api', pid: 1, node: 'n' };
  const unended = { ended: null, exit_code: null, outcome: null, restored: null };
  await db
    .insertInto('job')
    .values({ ...job, started: NOW - 100 * DAY, heartbeat: NOW - 99 * DAY, ...unended })
    .execute();
});
afterAll(() => server[Symbol.asyncDispose]());

const all = { before: null, owner: null, limit: 10, offset: 0 };
async function list(wanted: Partial<typeof all> | { before: number } | { owner: string }) {
  const { rows, total } = await listByLastUse(server.running.services.storage.db, { ...all, ...wanted });
  const nameOf = (guid: string) => Object.keys(guids).find((name) => guids[name] === guid);
  return {
    total,
    rows: rows.map(({ guid, last }) => [nameOf(guid), last === null ? null : (NOW - last) / DAY]),
  };
}

test('sorts by the latest visit, session or process, never used content first', async () => {
  const { rows, total } = await list({});
  expect(total).toBe(4);
  const unused = rows.slice(0, 2).map(([name]) => String(name));
  expect(unused.toSorted()).toEqual(['redeployed', 'untouched']);
  expect(rows.slice(2)).toEqual([
    ['run', 99],
    ['visited', 50],
  ]);
});

test('excludes content used or deployed since, and content of others', async () => {
  expect(await list({ before: NOW - 90 * DAY })).toEqual({
    total: 2,
    rows: [
      ['untouched', null],
      ['run', 99],
    ],
  });
  expect(await list({ before: NOW, owner: owner.username })).toMatchObject({ total: 3 });
});

test('returns pages with the total', async () => {
  expect(await list({ limit: 1, offset: 3 })).toEqual({ total: 4, rows: [['visited', 50]] });
});
