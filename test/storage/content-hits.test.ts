// Covers the list of visits and sessions together, on both engines, when it is longer than what is read at once.
import { publish, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasMoreHits, insertVisits, readHitsAfter } from '../../packages/server/src/usage/store.ts';

const NOW = 1_700_000_000_000_000;
const VISITS = 2500;
const SESSIONS = 1200;

let server: TestServer;
let owner: Person;
let guid: string;
beforeAll(async () => {
  server = await startTestServer({ settings: {} });
  owner = await server.person('publisher');
  ({ guid } = await publish(owner, { 'index.html': 'x' }));
  const { storage } = server.running.services;
  const of = { content_guid: guid, user_guid: null, data_version: 1 };
  const visit = { ...of, bundle_id: 1, rendering_id: null, variant_key: null };
  // Many at the same time, also on both sides of the end of a portion.
  const visits = Array.from({ length: VISITS }, (_, n) => ({
    ...visit,
    time: NOW + Math.floor(n / 7) * 1000,
  }));
  await insertVisits(storage, visits);
  const session = { ...of, ended: null, job_key: null };
  for (let at = 0; at < SESSIONS; at += 400) {
    const sessions = Array.from({ length: 400 }, (_, n) => ({
      ...session,
      started: NOW + Math.floor((at + n) / 5) * 1000,
    }));
    await storage.db.insertInto('app_session').values(sessions).execute();
  }
});
afterAll(() => server[Symbol.asyncDispose]());

interface Hit {
  readonly id: number;
  readonly timestamp: string;
}

test('each visit and session is listed once, in order', async () => {
  const { status, body } = await owner.call('GET', '/v1/instrumentation/content/hits');
  expect(status).toBe(200);
  const hits = body as Hit[];
  expect(new Set(hits.map(({ id }) => id)).size).toBe(VISITS + SESSIONS);
  expect(hits).toHaveLength(VISITS + SESSIONS);
  const sorted = hits.toSorted(
    (a, b) => (a.timestamp < b.timestamp ? -1 : +(a.timestamp > b.timestamp)) || a.id - b.id,
  );
  expect(hits).toEqual(sorted);
});

test('a time is kept to the last portion', async () => {
  const [from, to] = [NOW + 20_000, NOW + 300_000].map((time) => new Date(time / 1000).toISOString());
  const { body } = await owner.call('GET', `/v1/instrumentation/content/hits?from=${from}&to=${to}`);
  const hits = body as Hit[];
  expect([hits[0]!.timestamp, hits.at(-1)!.timestamp]).toEqual([from, to]);
  // Of 281 milliseconds, with seven visits and five sessions each; the sessions end before.
  expect(hits).toHaveLength(281 * 7 + (SESSIONS / 5 - 20) * 5);
});

test('a portion is short, and a limit counts visits and sessions together', async () => {
  const { db } = server.running.services.storage;
  const all = { contents: [guid], scope: null, minDataVersion: 1, from: null, to: NOW * 2 };
  const { rows, isLast } = await readHitsAfter(db, all, null);
  expect(isLast).toBe(false);
  expect(rows.length).toBeLessThanOrEqual(2000);
  expect(await hasMoreHits(db, all, VISITS + SESSIONS - 1)).toBe(true);
  expect(await hasMoreHits(db, all, VISITS + SESSIONS)).toBe(false);
});
