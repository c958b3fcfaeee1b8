// The cost of a page of a long list compared with a short list, on SQLite. `node test/perf/bench.ts`
import { startTestServer, type Person } from '@pressroom/testkit';
import { sql } from 'kysely';

const VISITS = 5_000_000;
const FEW = 1000;
const MANY = 100_000;
/** Requests per measurement; the median counts. */
const RUNS = 31;

/** Keyset pages deep in the visits, and pages of users and groups among many; returns the lines to print. */
export async function listsBench(): Promise<string[]> {
  await using server = await startTestServer({ durable: true, engine: 'sqlite' });
  const { db } = server.running.services.storage;
  const administrator = await server.administrator();
  const { call } = administrator;

  const group: string = (await call('POST', '/v1/groups', { body: { name: 'everybody' } })).body.guid;
  const few: number[] = [];
  await addPeople(db, FEW, administrator, group);
  for (const path of lists(FEW, group)) few.push(await median(call, () => path));
  await addPeople(db, MANY, administrator, group);
  const lines: string[] = [];
  for (const [index, path] of lists(MANY, group).entries()) {
    const many = await median(call, () => path);
    lines.push(
      `${path.replace(group, '{guid}')} at ${MANY.toLocaleString('en')}: ${many.toFixed(1)} ms, ` +
        `${(many / few[index]!).toFixed(2)} of it at ${FEW.toLocaleString('en')}`,
    );
  }
  await sql`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${VISITS})
    insert into visit (content_guid, user_guid, time, bundle_id, rendering_id, variant_key, data_version)
    select 'c0ffee00-0000-4000-8000-' || printf('%012d', i % 100), null, ${START} + i * 1000000, 1, null, null, 1 from n
  `.execute(db);
  const at = (row: number) => (run: number) =>
    `/v1/instrumentation/content/visits?limit=100&next=${cursor(row - 200 + run)}`;
  const [near, far] = [await median(call, at(1000)), await median(call, at(VISITS))];
  return [
    `visits: a keyset page at row ${VISITS.toLocaleString('en')} costs ${(far / near).toFixed(2)} of one at row 1,000 ` +
      `(${far.toFixed(1)} and ${near.toFixed(1)} ms)`,
    ...lines,
  ];
}

/** Microseconds; visits are one second apart. */
const START = Date.parse('2020-01-01') * 1000;

/** Pages of 100: the first, in the middle, the last, and a search. */
const lists = (count: number, group: string) => [
  '/v1/users?page_size=100',
  '/v1/users?page_size=100&asc_order=false',
  `/v1/users?page_size=100&page_number=${count / 200}`,
  `/v1/users?page_size=100&page_number=${count / 100}`,
  '/v1/users?prefix=person00005',
  '/v1/groups?page_size=100',
  `/v1/groups?page_size=100&page_number=${count / 200}`,
  '/v1/groups?prefix=group00005',
  `/v1/groups/${group}/members?page_size=100`,
  `/v1/groups/${group}/members?page_size=100&page_number=${count / 200}`,
];

const cursor = (row: number) => Buffer.from(`${START + row * 1_000_000}.${row}`).toString('base64url');

type Database = Awaited<ReturnType<typeof startTestServer>>['running']['services']['storage']['db'];

/** Adds this many people, all members of a group, and as many groups. */
async function addPeople(db: Database, count: number, owner: Person, group: string): Promise<void> {
  const guid = sql`lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4000-8000-' || hex(randomblob(6)))`;
  const numbers = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
  const name = sql`printf('%06d', i) || 'x' || ${count}`;
  await sql`
    ${numbers} insert into user_account (guid, username, username_key, email, first_name, last_name, first_name_key,
      last_name_key, user_role, must_set_password, confirmed, locked, created_time, updated_time)
    select ${guid}, 'person' || ${name}, 'person' || ${name}, 'p' || i || '@example.com', 'First' || i % 1000,
      'Last' || i, 'first' || i % 1000, 'last' || i, 'viewer', 0, 1, 0, ${START}, ${START} from n
  `.execute(db);
  await sql`
    ${numbers} insert into user_group (guid, name, name_key, owner_guid, created_time)
    select ${guid}, 'Group' || ${name}, 'group' || ${name}, ${owner.guid}, ${START} from n
  `.execute(db);
  await sql`
    insert into group_member (group_guid, user_guid)
    select ${group}, guid from user_account where true on conflict do nothing
  `.execute(db);
}

/** Milliseconds. Each request differs in an ignored field, so that no cached response is measured. */
async function median(call: Person['call'], path: (run: number) => string): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const target = path(run);
    const began = performance.now();
    const { status, body } = await call('GET', `${target}&run=${run}`);
    times.push(performance.now() - began);
    if (status !== 200 || body.results.length === 0) throw new Error(`${target}: ${status}, no rows`);
  }
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)]!;
}
