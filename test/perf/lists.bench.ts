// The cost of a page of a long list, or of a search, compared with a short list. `node test/perf/bench.ts`
import { setTimeout } from 'node:timers/promises';
import { startTestServer, type Person } from '@pressroom/testkit';
import { sql } from 'kysely';
import { cutPortions } from '../../packages/server/src/people/portions-store.ts';
import type { Engine } from './api.bench.ts';

const VISITS = 5_000_000;
const FEW = 1000;
/** Groups, members of one, and content. */
const MANY = 100_000;
const USERS = 1_000_000;
/** Rows of one statement. */
const AT_ONCE = 500;
/** Requests per measurement; the median counts. */
const RUNS = 31;

let requests = 0;

/** Keyset pages deep in the visits, and pages of users and groups among many; returns the lines to print. */
export async function listsBench(engine: Engine): Promise<string[]> {
  await using server = await startTestServer({ durable: true, engine });
  const { storage } = server.running.services;
  const { db } = storage;
  const administrator = await server.administrator();
  const { call } = administrator;

  const group: string = (await call('POST', '/v1/groups', { body: { name: 'everybody' } })).body.guid;
  await addPeople(storage, FEW, administrator, group);
  const few: number[] = [];
  for (const path of lists(FEW, FEW, group)) {
    // Code is compiled by then, as for the many.
    await median(call, () => path);
    few.push(await median(call, () => path));
  }
  await addPeople(storage, USERS, administrator, group);
  const lines: string[] = [];
  for (const [index, path] of lists(USERS, MANY, group).entries()) {
    const many = await median(call, () => path);
    lines.push(
      `${storage.name}, ${path.replace(group, '{guid}')} among many: ${many.toFixed(1)} ms, ` +
        `${(many / few[index]!).toFixed(2)} of it at ${FEW.toLocaleString('en')}`,
    );
  }
  return engine === 'sqlite' ? [await visitsLine(db, call), ...lines] : lines;
}

async function visitsLine(db: Storage['db'], call: Person['call']): Promise<string> {
  await sql`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${VISITS})
    insert into visit (content_guid, user_guid, time, bundle_id, rendering_id, variant_key, data_version)
    select 'c0ffee00-0000-4000-8000-' || printf('%012d', i % 100), null, ${START} + i * 1000000, 1, null, null, 1 from n
  `.execute(db);
  const at = (row: number) => (run: number) =>
    `/v1/instrumentation/content/visits?limit=100&next=${cursor(row - 200 + run)}`;
  const [near, far] = [await median(call, at(1000)), await median(call, at(VISITS))];
  return (
    `visits: a keyset page at row ${VISITS.toLocaleString('en')} costs ${(far / near).toFixed(2)} of one at row 1,000 ` +
    `(${far.toFixed(1)} and ${near.toFixed(1)} ms)`
  );
}

/** Microseconds; visits are one second apart. */
const START = Date.parse('2020-01-01') * 1000;

/** Pages of 100: the first, in the middle, the last, and a search. */
const lists = (users: number, count: number, group: string) => [
  '/v1/users?page_size=100',
  '/v1/users?page_size=100&asc_order=false',
  `/v1/users?page_size=100&page_number=${users / 200}`,
  `/v1/users?page_size=100&page_number=${users / 100}`,
  '/v1/users?prefix=person00005',
  '/v1/groups?page_size=100',
  `/v1/groups?page_size=100&page_number=${count / 200}`,
  '/v1/groups?prefix=group00005',
  `/v1/groups/${group}/members?page_size=100`,
  `/v1/groups/${group}/members?page_size=100&page_number=${count / 200}`,
  '/v1/search/content?page_size=100',
  `/v1/search/content?page_size=100&page_number=${count / 200}`,
  '/v1/search/content?page_size=100&q=item0000005x1000',
  '/v1/search/content?page_size=100&q=item',
];

const cursor = (row: number) => Buffer.from(`${START + row * 1_000_000}.${row}`).toString('base64url');

type Storage = Awaited<ReturnType<typeof startTestServer>>['running']['services']['storage'];

/** Adds this many people; and members of the group and groups, up to the limit. */
async function addPeople(storage: Storage, count: number, owner: Person, group: string): Promise<void> {
  const row = (i: number) => `${String(i).padStart(7, '0')}x${count}`;
  const guid = (kind: string, i: number) =>
    `${kind}-0000-4000-${count === FEW ? '8000' : '9000'}-${String(i).padStart(12, '0')}`;
  const person = (i: number) => ({
    guid: guid('c0ffee00', i),
    username: `person${row(i)}`,
    username_key: `person${row(i)}`,
    email: `p${i}@example.com`,
    first_name: `First${i % 1000}`,
    last_name: `Last${i}`,
    first_name_key: `first${i % 1000}`,
    last_name_key: `last${i}`,
    user_role: 'viewer' as const,
    must_set_password: 0 as const,
    confirmed: 1 as const,
    locked: 0 as const,
    created_time: START,
    updated_time: START,
  });
  const newGroup = (i: number) => ({
    guid: guid('c0ffee01', i),
    name: `Group${row(i)}`,
    name_key: `group${row(i)}`,
    owner_guid: owner.guid,
    created_time: START,
  });
  const newContent = (i: number) => ({
    guid: guid('c0ffee02', i),
    name: `item${row(i)}`,
    title: `Item ${i}`,
    description: '',
    owner_guid: owner.guid,
    access_type: 'logged_in' as const,
    app_mode: 'unknown',
    content_category: '',
    has_parameters: 0 as const,
    git_managed: 0 as const,
    created_time: START + i,
    last_deployed_time: START + i,
  });
  for (let from = 0; from < count; from += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, (_, i) => from + i);
    await storage.write(async (tx) => {
      await tx.insertInto('user_account').values(some.map(person)).execute();
      await cutPortions(tx);
      if (from >= MANY) return;
      await tx.insertInto('user_group').values(some.map(newGroup)).execute();
      const joined = some.map((i) => ({ group_guid: group, user_guid: guid('c0ffee00', i) }));
      await tx.insertInto('group_member').values(joined).execute();
      await tx.insertInto('content').values(some.map(newContent)).execute();
    });
  }
  // As PostgreSQL does within a minute: until then it plans for the thousand rows that it knew, and looks at each row.
  if (storage.isShared) await sql`vacuum analyze`.execute(storage.db);
  // Idle connections are closed meanwhile: before the next request is sent over one.
  await setTimeout(500);
}

/** Milliseconds. Each request differs in an ignored field, so that no cached response is measured. */
async function median(call: Person['call'], path: (run: number) => string): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const target = path(run);
    const began = performance.now();
    const { status, body } = await call('GET', `${target}&request=${(requests += 1)}`);
    times.push(performance.now() - began);
    if (status !== 200 || body.results.length === 0) throw new Error(`${target}: ${status}, no rows`);
  }
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)]!;
}
