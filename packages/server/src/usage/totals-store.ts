// Totals of visits and sessions in a time range: whole days from daily totals, the rest from the visits themselves.
import { sql, type RawBuilder } from 'kysely';
import { selectedContent } from '../content/store.ts';
import type { Micros } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';
import { DAY, dayOf, rolledDays } from './roll-up-store.ts';
import type { UsageFilter } from './store.ts';

export interface Counted {
  readonly visits: number;
  readonly sessions: number;
}

export interface Totals {
  /** By content GUID. */
  readonly contents: ReadonlyMap<string, Counted>;
  /** By user GUID; empty for anonymous visitors. */
  readonly users: ReadonlyMap<string, Counted>;
  /** By day since the epoch. */
  readonly days: ReadonlyMap<number, Counted>;
  /** Total milliseconds of finished sessions. */
  readonly sessionTime: number;
}

/** Selects by start within the range; the end does not matter. */
export type Within = Pick<UsageFilter, 'contents' | 'scope'> & { readonly from: Micros; readonly to: Micros };

export async function readTotals(db: Executor, within: Within): Promise<Totals> {
  const used = await usedWithin(db, within);
  const group = async <K extends string | number>(column: string): Promise<Map<K, Counted>> => {
    const key = sql.ref(column);
    const { rows } = await sql<{ key: K; visits: number; sessions: number }>`
      select ${key} as key, sum(visits) as visits, sum(sessions) as sessions from ${used} group by ${key}`.execute(
      db,
    );
    const counts = rows.map(({ key: name, visits, sessions }) => {
      const counted = { visits: Number(visits), sessions: Number(sessions) };
      return [name, counted] as const;
    });
    return new Map(counts);
  };
  const { rows } = await sql<{ ms: number | null }>`
    select sum(ended / 1000 - started / 1000) as ms from app_session
    where started >= ${within.from} and started < ${within.to} and ${ofFilter(db, within)}`.execute(db);
  return {
    contents: await group<string>('content_guid'),
    users: await group<string>('user_guid'),
    days: new Map([...(await group<number>('day'))].map(([day, counted]) => [Number(day), counted])),
    sessionTime: Number(rows[0]?.ms ?? 0),
  };
}

/** Visits and sessions together. */
export async function countWithin(db: Executor, within: Within): Promise<number> {
  const used = await usedWithin(db, within);
  const { rows } = await sql<{ n: number | null }>`select sum(visits + sessions) as n from ${used}`.execute(
    db,
  );
  return Number(rows[0]?.n ?? 0);
}

async function usedWithin(db: Executor, within: Within): Promise<RawBuilder<unknown>> {
  const { from, to } = within;
  const whole = await rolledDays(db, Math.ceil(from / DAY), dayOf(to) - 1);
  const filter = ofFilter(db, within);
  const days = runsOf(whole).map(([first, last]) => sql`day between ${first} and ${last}`);
  const times = restOf(from, to, whole).map(([begin, end]) => sql`time >= ${begin} and time < ${end}`);
  return sql`(
    select content_guid, user_guid, day, visits, 0 as sessions from usage_day
    where ${anyOf(days)} and ${filter}
    union all select content_guid, coalesce(user_guid, '') as user_guid, time / ${sql.lit(DAY)} as day, count(*), 0
    from visit where ${anyOf(times)} and ${filter} group by 1, 2, 3
    union all select content_guid, coalesce(user_guid, '') as user_guid, started / ${sql.lit(DAY)} as day, 0, count(*)
    from app_session where started >= ${from} and started < ${to} and ${filter} group by 1, 2, 3
  ) as used`;
}

function ofFilter(db: Executor, { contents, scope }: Within): RawBuilder<unknown> {
  const named = contents ? sql`content_guid in (${sql.join(contents)})` : sql`1 = 1`;
  if (!scope) return named;
  return sql`${named} and content_guid in (${selectedContent(db, { scope }).select('guid')})`;
}

function anyOf(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`1 = 0` : sql`((${sql.join(conditions, sql`) or (`)}))`;
}

/** Consecutive days, as first and last. */
function runsOf(days: readonly number[]): [first: number, last: number][] {
  const runs: [number, number][] = [];
  for (const day of days) {
    const run = runs.at(-1);
    if (run && run[1] === day - 1) run[1] = day;
    else runs.push([day, day]);
  }
  return runs;
}

/** The parts of a time range outside these days. */
function restOf(from: Micros, to: Micros, days: readonly number[]): [begin: Micros, end: Micros][] {
  const rest: [Micros, Micros][] = [];
  let begin = from;
  for (const [first, last] of runsOf(days)) {
    if (begin < first * DAY) rest.push([begin, first * DAY]);
    begin = (last + 1) * DAY;
  }
  if (begin < to) rest.push([begin, to]);
  return rest;
}
