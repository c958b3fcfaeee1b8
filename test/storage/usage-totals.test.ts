// Covers the usage summary: it equals the visits and sessions, whichever days were rolled up before, on each engine.
import { createClient } from '@pressroom/api/client';
import { summarizeUsage, type UsageSummary } from '@pressroom/api/usage';
import { startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rolledDays, rollUpVisits } from '../../packages/server/src/usage/roll-up-store.ts';
import { insertSession, insertVisits, removeUsageBefore } from '../../packages/server/src/usage/store.ts';

const DAY = 86_400_000;
const TODAY = Date.parse('2026-03-10T15:30:00Z');
const SPAN = 40 * DAY;
const never = new AbortController().signal;

let server: TestServer;
let admin: Person;
let owner: Person;
let contents: string[];
beforeAll(async () => {
  server = await startTestServer();
  [admin, owner] = [await server.administrator(), await server.person('publisher')];
  const create = async (by: Person, name: string) =>
    (await by.call('POST', '/v1/content', { body: { name } })).body.guid as string;
  contents = [await create(owner, 'one'), await create(owner, 'two'), await create(admin, 'three')];
});
afterAll(() => server[Symbol.asyncDispose]());

/** Generates the same pseudo-random numbers in each run. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; yield state / 2 ** 31) state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
}

const random = numbers(7);
const below = (limit: number) => Math.floor(random.next().value * limit);
const oneOf = <T>(list: readonly T[]) => list[below(list.length)]!;

async function add(visits: number, since: number, until: number): Promise<void> {
  const { storage } = server.running.services;
  const users = [null, owner.guid, admin.guid, 'abcdef00-0000-4000-8000-000000000001'];
  // Some times lie at the exact ends of days.
  const times = () => {
    const time = since + below(until - since);
    return below(4) === 0 ? Math.floor(time / DAY) * DAY * 1000 - below(2) : time * 1000 + below(1000);
  };
  const rows = Array.from({ length: visits }, () => ({
    content_guid: oneOf(contents),
    user_guid: oneOf(users),
    time: times(),
    bundle_id: 1,
    rendering_id: null,
    variant_key: null,
    data_version: 1,
  }));
  await insertVisits(storage, rows);
  for (let i = 0; i < visits / 10; i += 1) {
    const started = times();
    await insertSession(storage.db, {
      content_guid: oneOf(contents),
      user_guid: oneOf(users),
      started,
      ended: below(5) === 0 ? null : started + below(7_200_000_000),
      data_version: 1,
      job_key: 'none',
    });
  }
}

const roll = () => rollUpVisits(server.running.services.storage, TODAY * 1000, never);

/** Counts the rolled-up days. The server also rolls up by itself, soon after its start. */
async function countedDays(): Promise<number> {
  const { db } = server.running.services.storage;
  return (await rolledDays(db, 0, Math.floor(TODAY / DAY))).length;
}

/** Compares the server's summary with one of all pages. */
async function compare(person: Person, from: number, to: number, some?: string[]): Promise<UsageSummary> {
  await using client = createClient({ url: server.url, apiKey: person.key });
  const { getContentVisits, getShinyAppUsage } = client.each;
  const each = { getContentVisits: once(getContentVisits), getShinyAppUsage: once(getShinyAppUsage) };
  let last: UsageSummary | null = null;
  for (const by of ['day', 'week', 'user'] as const) {
    const options = { from, to, by, ...(some && { contents: some }) };
    const summed = await summarizeUsage({ client, ...options });
    // In as few requests as possible.
    expect(summed).toEqual(await summarizeUsage({ client: { each }, ...options, parallel: 1 }));
    last = summed;
  }
  return last!;
}

/** An iterator that reads the pages of each request once: they cost most of the time. */
function once<Query, Row>(read: (query: Query) => AsyncIterable<Row>) {
  const known = new Map<string, Promise<Row[]>>();
  return async function* (query: Query) {
    const key = JSON.stringify(query);
    const rows = known.get(key) ?? Array.fromAsync(read(query));
    known.set(key, rows);
    yield* await rows;
  };
}

async function compareAll(): Promise<void> {
  const aligned = Date.parse('2026-03-01T00:00:00Z');
  for (const [from, to] of [
    [aligned - 14 * DAY, aligned],
    [TODAY - 7 * DAY, TODAY],
    [aligned - 5 * DAY + 1, aligned + 3_600_000],
    [aligned + 1000, aligned + 2000],
  ] as const) {
    const all = await compare(admin, from, to);
    expect(all.total).toBeGreaterThanOrEqual((await compare(owner, from, to)).total);
    await compare(admin, from, to, contents.slice(1));
  }
}

test('totals are exact before and after rolling up, with late and removed visits', async () => {
  const { storage } = server.running.services;
  await add(1500, TODAY - SPAN, TODAY);
  await compareAll();
  await roll();
  const counted = await countedDays();
  expect(counted).toBeGreaterThanOrEqual(SPAN / DAY);
  expect(await roll()).toBe(0);
  await compareAll();
  // Visits recorded by a server whose clock is days behind.
  await add(200, TODAY - 9 * DAY, TODAY - 7 * DAY);
  await compareAll();
  await roll();
  expect(await countedDays()).toBe(counted);
  await compareAll();
  const before = (await compare(admin, TODAY - SPAN, TODAY)).total;
  await removeUsageBefore(storage, (TODAY - 20 * DAY) * 1000, never);
  expect((await compare(admin, TODAY - SPAN, TODAY)).total).toBeLessThan(before);
  await compareAll();
  await roll();
  await compareAll();
});

test('totals of rolled up days are read without the visits', async () => {
  const { storage } = server.running.services;
  const from = TODAY - 10 * DAY;
  const whole = [from - (from % DAY), TODAY - (TODAY % DAY)] as const;
  const known = await compare(admin, ...whole);
  await storage.db.deleteFrom('visit').execute();
  await using client = createClient({ url: server.url, apiKey: admin.key });
  const again = await summarizeUsage({ client, from: whole[0], to: whole[1], by: 'user' });
  expect(again.visits).toBe(known.visits);
});

test('a summary rejects the same requests as the lists', async () => {
  const ask = (person: Person, query: string) => person.call('GET', `/v1/instrumentation/summary?${query}`);
  const time = 'from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z';
  expect((await ask(await server.person('viewer'), time)).status).toBe(403);
  expect((await ask(owner, 'from=2026-01-01T00:00:00Z')).body).toMatchObject({ code: 12 });
  expect((await ask(owner, 'to=2026-01-01T00:00:00Z&from=2026-02-01T00:00:00Z')).body.code).toBe(136);
  expect((await ask(owner, `${time}&content_guid=x`)).body.code).toBe(11);
  expect((await ask(owner, `${time}&by=hour`)).body.code).toBe(25);
});
