// Usage summaries: by day, person and bundle; and unused content.
import { sql } from 'kysely';
import type { Micros } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';
import { DAY } from './roll-up-store.ts';

/** Daily visits and sessions of a content item from a day on; days since the epoch in UTC. */
export async function dailyUsage(
  db: Executor,
  contentGuid: string,
  firstDay: number,
): Promise<Map<number, { visits: number; sessions: number }>> {
  const from = firstDay * DAY;
  const visits = await db
    .selectFrom('visit')
    .select([sql<number>`time / ${sql.lit(DAY)}`.as('day'), sql<number>`count(*)`.as('n')])
    .where('content_guid', '=', contentGuid)
    .where('time', '>=', from)
    .groupBy('day')
    .execute();
  const sessions = await db
    .selectFrom('app_session')
    .select([sql<number>`started / ${sql.lit(DAY)}`.as('day'), sql<number>`count(*)`.as('n')])
    .where('content_guid', '=', contentGuid)
    .where('started', '>=', from)
    .groupBy('day')
    .execute();
  const days = new Map<number, { visits: number; sessions: number }>();
  for (const { day, n } of visits) days.set(day, { visits: n, sessions: 0 });
  for (const { day, n } of sessions) days.set(day, { visits: days.get(day)?.visits ?? 0, sessions: n });
  return days;
}

/** Visits and session starts of a content item from a time on, by person and by bundle; busiest first. */
export async function usageParts(
  db: Executor,
  contentGuid: string,
  from: Micros,
): Promise<{ people: [guid: string | null, n: number][]; bundles: [id: number | null, n: number][] }> {
  const visits = await db
    .selectFrom('visit')
    .select(['user_guid', 'bundle_id', sql<number>`count(*)`.as('n')])
    .where('content_guid', '=', contentGuid)
    .where('time', '>=', from)
    .groupBy(['user_guid', 'bundle_id'])
    .execute();
  const sessions = await db
    .selectFrom('app_session')
    .leftJoin('job', 'job.key', 'app_session.job_key')
    .select(['user_guid', 'bundle_id', sql<number>`count(*)`.as('n')])
    .where('app_session.content_guid', '=', contentGuid)
    .where('app_session.started', '>=', from)
    .groupBy(['user_guid', 'bundle_id'])
    .execute();
  const people = new Map<string | null, number>();
  const bundles = new Map<number | null, number>();
  for (const { user_guid, bundle_id, n } of [...visits, ...sessions]) {
    people.set(user_guid, (people.get(user_guid) ?? 0) + Number(n));
    bundles.set(bundle_id, (bundles.get(bundle_id) ?? 0) + Number(n));
  }
  const busiest = <T>(counts: Map<T, number>) => [...counts].toSorted(([, a], [, b]) => b - a);
  return { people: busiest(people), bundles: busiest(bundles) };
}

/** First activations of a content item's bundles, from a time on. */
export function deployedBundles(
  db: Executor,
  contentGuid: string,
  from: Micros,
): Promise<{ id: number; deployed_time: Micros | null }[]> {
  return db
    .selectFrom('bundle')
    .select(['id', 'deployed_time'])
    .where('content_guid', '=', contentGuid)
    .where('deployed_time', '>=', from)
    .orderBy('deployed_time')
    .execute();
}

/** Daily visits and session starts of these content items from a day on; days since the epoch in UTC. */
export async function dailyHits(
  db: Executor,
  contents: readonly string[],
  firstDay: number,
): Promise<Map<string, Map<number, number>>> {
  const hits = new Map<string, Map<number, number>>();
  if (contents.length === 0) return hits;
  const ofTable = (table: 'visit' | 'app_session', time: string) => {
    const when = sql<Micros>`${sql.ref(time)}`;
    return db
      .selectFrom(table)
      .select([
        'content_guid',
        sql<number>`${when} / ${sql.lit(DAY)}`.as('day'),
        sql<number>`count(*)`.as('n'),
      ])
      .where('content_guid', 'in', contents)
      .where(when, '>=', firstDay * DAY)
      .groupBy(['content_guid', 'day'])
      .execute();
  };
  for (const { content_guid, day, n } of [
    ...(await ofTable('visit', 'time')),
    ...(await ofTable('app_session', 'started')),
  ]) {
    const days = hits.get(content_guid) ?? new Map<number, number>();
    hits.set(content_guid, days.set(Number(day), (days.get(Number(day)) ?? 0) + Number(n)));
  }
  return hits;
}

/**
 * The last visit, session start, or process of a row of `content`; null if there is no record. Requests of APIs are not
 * recorded individually: their processes start for them, and end without.
 */
export const lastUse = sql<Micros | null>`(select max(used) from (
  select max(time) as used from visit where content_guid = content.guid
  union all select max(started) from app_session where content_guid = content.guid
  union all select max(coalesce(ended, heartbeat)) from job where content_guid = content.guid
) as uses)`;

export interface LastUse {
  readonly guid: string;
  readonly name: string;
  readonly title: string | null;
  readonly username: string | null;
  readonly locked: 0 | 1 | null;
  readonly last_deployed_time: Micros | null;
  readonly last: Micros | null;
}

export interface LastUseRequest {
  /** Neither used nor deployed since; null for all content. */
  readonly before: Micros | null;
  /** Username; null for anybody. */
  readonly owner: string | null;
  readonly limit: number;
  readonly offset: number;
}

/** Published content with its owner, and the total; longest unused first. */
export async function listByLastUse(
  db: Executor,
  { before, owner, limit, offset }: LastUseRequest,
): Promise<{ rows: LastUse[]; total: number }> {
  const items = db
    .selectFrom('content')
    .leftJoin('user_account', 'user_account.guid', 'content.owner_guid')
    .select([
      'content.guid',
      'content.name',
      'title',
      'username',
      'user_account.locked',
      'last_deployed_time',
      lastUse.as('last'),
    ])
    .where('bundle_id', 'is not', null)
    .$if(owner !== null, (query) => query.where('username', '=', owner))
    .$if(before !== null, (query) => query.where(sql<number>`coalesce(last_deployed_time, 0)`, '<', before!));
  const found = db
    .selectFrom(items.as('item'))
    .$if(before !== null, (query) => query.where(sql<number>`coalesce(last, 0)`, '<', before!));
  const rows = await found
    .selectAll()
    .orderBy(sql`coalesce(last, 0)`)
    .orderBy('guid')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await found.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow();
  const numberOf = (time: Micros | null) => (time === null ? null : Number(time));
  return { rows: rows.map((row) => ({ ...row, last: numberOf(row.last) })), total: Number(total) };
}
