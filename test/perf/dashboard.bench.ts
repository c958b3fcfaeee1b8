// Time of the dashboard's first page with many content items, and of a live log line.
import { publish, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { sql } from 'kysely';
import { cookieHeader, signIn } from '../acceptance/hand-over.ts';
import { ASGI, asgi } from '../runtime/python-content.ts';

const ITEMS = 10_000;
const VISITS = 200_000;
const RUNS = 31;
const LINES = 300;

/** Returns the lines to print. */
export async function dashboardBench(): Promise<string[]> {
  await using server = await startTestServer({
    engine: 'sqlite',
    settings: { 'Scheduler.IdleTimeout': 600 },
  });
  const administrator = await server.administrator();
  const publisher = await server.person('publisher');
  const lines = [await liveLine(server, publisher)];
  await addContent(server, publisher);
  for (const [whose, person] of [
    ['an administrator', administrator],
    ['the publisher of all of it', publisher],
  ] as const) {
    const cookie = cookieHeader(await signIn(server.url, person));
    const times: number[] = [];
    for (let i = 0; i < RUNS; i += 1) {
      const begun = performance.now();
      const page = await fetch(`${server.url}/__dashboard__/`, { headers: { cookie } });
      const text = await page.text();
      times.push(performance.now() - begun);
      if (!/\b1000\d\s+items/.test(text)) throw new Error('not the whole list');
    }
    lines.push(
      `dashboard: the first page of ${ITEMS.toLocaleString('en')} items for ${whose}: ${at(times, 0.5)} ms (p95 ${at(times, 0.95)} ms)`,
    );
  }
  return lines;
}

function at(times: readonly number[], part: number): string {
  return times
    .toSorted((a, b) => a - b)
    .at(Math.min(times.length - 1, Math.floor(times.length * part)))!
    .toFixed(1);
}

/** Published, with recent visits. */
async function addContent(server: TestServer, owner: Person): Promise<void> {
  const { db } = server.running.services.storage;
  const { guid } = await publish(owner, { 'index.html': 'x' }, { fields: { name: 'model' } });
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info('content')`.execute(db);
  const own: Readonly<Record<string, string>> = {
    guid: `'c0ffee00-0000-4000-8000-' || printf('%012d', i)`,
    name: `'item-' || i`,
    name_key: `'item-' || i`,
    title: `'Item number ' || i`,
    created_time: 'created_time + i',
    last_deployed_time: 'last_deployed_time + i',
  };
  const names = rows.map(({ name }) => name);
  const values = names.map((name) => own[name] ?? name);
  await sql`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(ITEMS - 1)})
    insert into content (${sql.raw(names.join(', '))}) select ${sql.raw(values.join(', '))}
    from content, n where guid = ${guid}`.execute(db);
  const now = Date.now() * 1000;
  await sql`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(VISITS)})
    insert into visit (content_guid, user_guid, time, bundle_id, rendering_id, variant_key, data_version)
    select 'c0ffee00-0000-4000-8000-' || printf('%012d', ${sql.lit(ITEMS)} - i % 1000), null,
      ${sql.lit(now)} - (i % 13) * 86400000000, 1, null, null, 1 from n`.execute(db);
}

/** From a request that makes a process print, to the response for a reader that follows its log like the page. */
async function liveLine(server: TestServer, owner: Person): Promise<string> {
  const prints = 'print("line", headers["x-count"], flush=True)\nanswer = 1';
  const app = await publish(owner, asgi({ '/': prints }), { metadata: ASGI });
  await owner.call('GET', app.path, { headers: { 'X-Count': '0' } });
  const [job] = (await owner.call('GET', `/v1/content/${app.guid}/jobs`)).body;
  const times: number[] = [];
  const log = `/v1/content/${app.guid}/jobs/${job.key}/log?wait=20`;
  let first = (await owner.call('GET', log)).body.last as number;
  for (let i = 1; i <= LINES; i += 1) {
    const begun = performance.now();
    const asked = owner.call('GET', app.path, { headers: { 'X-Count': String(i) } });
    for (let isThere = false; !isThere;) {
      // The page pauses this long between two requests.
      await new Promise((resolve) => setTimeout(resolve, 100));
      const { body } = await owner.call('GET', `${log}&first=${first}`);
      first = body.last;
      isThere = body.entries.some(({ data }: { data: string }) => data === `line ${i}`);
    }
    times.push(performance.now() - begun);
    await asked;
  }
  return `dashboard: a line of a log to the open page: ${at(times, 0.5)} ms (p99 ${at(times, 0.99)} ms of ${LINES})`;
}
