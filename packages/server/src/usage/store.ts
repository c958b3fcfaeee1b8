// Database access for visits and sessions.
import { setImmediate } from 'node:timers/promises';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import { selectedContent, type ContentScope } from '../content/store.ts';
import { readKeysetPage, type KeysetRequest, type KeysetRows } from '../platform/database/keyset.ts';
import type { AppSessionTable, Micros, VisitTable } from '../platform/database/schema.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import { addVisits, unrollBefore } from './roll-up-store.ts';

export type VisitRow = Selectable<VisitTable>;
export type AppSessionRow = Selectable<AppSessionTable>;

export interface UsageFilter {
  readonly contents: readonly string[] | null;
  /** Only content in this relation to the caller; null for all. */
  readonly scope: ContentScope | null;
  readonly minDataVersion: number;
  readonly from: Micros | null;
  readonly to: Micros;
}

export type NewVisit = Omit<VisitRow, 'id' | 'path'> & Partial<Pick<VisitRow, 'path'>>;

/** Adds many visits as one JSON parameter: one parameter per value is several times slower. */
export async function insertVisits(storage: Storage, visits: readonly NewVisit[]): Promise<void> {
  const { jsonRows } = storage;
  const json = JSON.stringify(
    visits.map((v) => [
      v.content_guid,
      v.user_guid,
      v.time,
      v.bundle_id,
      v.data_version,
      v.rendering_id,
      v.variant_key,
      v.path ?? null,
    ]),
  );
  const insert = sql`
    insert into visit (content_guid, user_guid, time, bundle_id, data_version, rendering_id, variant_key, path)
    select value ->> 0, value ->> 1, cast(value ->> 2 as bigint), cast(value ->> 3 as bigint), cast(value ->> 4 as bigint),
      cast(value ->> 5 as bigint), value ->> 6, value ->> 7
    from ${jsonRows(json)}`;
  const times = visits.map(({ time }) => time);
  await addVisits(storage, times, async (db) => void (await insert.execute(db)));
}

export async function insertSession(db: Executor, row: Omit<AppSessionRow, 'id'>): Promise<number> {
  const { id } = await db.insertInto('app_session').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function endSession(db: Executor, id: number, ended: Micros): Promise<void> {
  await db.updateTable('app_session').set({ ended }).where('id', '=', id).execute();
}

export function readVisitPage(
  db: Executor,
  f: UsageFilter,
  page: KeysetRequest,
): Promise<KeysetRows<VisitRow>> {
  let query = db.selectFrom('visit').selectAll().where('data_version', '>=', f.minDataVersion);
  if (f.contents) query = query.where('content_guid', 'in', f.contents);
  const { scope } = f;
  if (scope) query = query.where('content_guid', 'in', selectedContent(db, { scope }).select('guid'));
  const { from, to } = f;
  const start = cursorSide(page);
  if (from !== null)
    query = query.where(start === 'low' ? sql<boolean>`+time >= ${from}` : sql<boolean>`time >= ${from}`);
  query = query.where(start === 'high' ? sql<boolean>`+time <= ${to}` : sql<boolean>`time <= ${to}`);
  return readKeysetPage(query, page, 'visit', 'time');
}

/**
 * Which end of the time range a cursor replaces. SQLite uses an index bound on one side only: with the range's end
 * instead of the cursor, each page would read all rows before it again. A unary plus prevents that.
 */
function cursorSide({ from, ascending }: KeysetRequest): 'low' | 'high' | null {
  if (!('cursor' in from)) return null;
  return ascending !== (from.at === 'before') ? 'low' : 'high';
}

export function readSessionPage(
  db: Executor,
  f: UsageFilter,
  page: KeysetRequest,
): Promise<KeysetRows<AppSessionRow>> {
  let query = db.selectFrom('app_session').selectAll().where('data_version', '>=', f.minDataVersion);
  if (f.contents) query = query.where('content_guid', 'in', f.contents);
  const { scope } = f;
  if (scope) query = query.where('content_guid', 'in', selectedContent(db, { scope }).select('guid'));
  const { from, to } = f;
  if (from !== null) query = query.where((eb) => eb.or([eb('ended', 'is', null), eb('ended', '>=', from)]));
  const high = cursorSide(page) === 'high';
  query = query.where(high ? sql<boolean>`+started <= ${to}` : sql<boolean>`started <= ${to}`);
  return readKeysetPage(query, page, 'app_session', 'started');
}

/** Rows removed per statement: others can write in between. */
const REMOVED_AT_ONCE = 5000;

/** Removes visits, and ended sessions, from before a time; returns their number. */
export async function removeUsageBefore(
  { write }: Storage,
  before: Micros,
  signal?: AbortSignal,
): Promise<number> {
  const visits = async (tx: Executor) => {
    await unrollBefore(tx, before);
    const old = tx.selectFrom('visit').select('id').where('time', '<', before).limit(REMOVED_AT_ONCE);
    return tx.deleteFrom('visit').where('id', 'in', old).executeTakeFirst();
  };
  const sessions = (tx: Executor) => {
    const old = tx.selectFrom('app_session').select('id').where('started', '<', before);
    const ended = old.where('ended', '<', before).limit(REMOVED_AT_ONCE);
    return tx.deleteFrom('app_session').where('id', 'in', ended).executeTakeFirst();
  };
  let all = 0;
  for (const remove of [visits, sessions]) {
    for (;;) {
      const removed = Number((await write(remove)).numDeletedRows);
      all += removed;
      if (removed < REMOVED_AT_ONCE || signal?.aborted === true) break;
      // SQLite's statements do not wait for events: others would not get a turn.
      await setImmediate();
    }
  }
  return all;
}

export interface HitRow {
  /** Unique among visits and sessions. */
  readonly id: number;
  readonly content_guid: string;
  readonly user_guid: string | null;
  readonly time: Micros;
  readonly path: string | null;
}

/** Rows read at once of visits, and of sessions. */
const HITS_AT_ONCE = 1000;
const TIMES = { visit: 'time', app_session: 'started' } as const;

/** Visits and session starts by time, from after a row on: the next portion, and whether it is the last. */
export async function readHitsAfter(
  db: Executor,
  f: UsageFilter,
  after: HitRow | null,
): Promise<{ rows: HitRow[]; isLast: boolean }> {
  const next = (
    table: keyof typeof TIMES,
    [factor, more]: readonly [number, number],
    path: RawBuilder<string | null>,
  ) => {
    const when = timeIn(table);
    let query = hitsIn(db, table, after === null ? f : { ...f, from: null }).select([
      'content_guid',
      'user_guid',
      sql<number>`id * ${sql.lit(factor)} + ${sql.lit(more)}`.as('id'),
      when.as('time'),
      path.as('path'),
    ]);
    if (after !== null) {
      const id = Math.floor((after.id - more) / factor);
      query = query.where(sql<boolean>`(${when}, id) > (${after.time}, ${id})`);
    }
    return query.orderBy(when).orderBy(`${table}.id`).limit(HITS_AT_ONCE).execute();
  };
  const pages = [
    await next('visit', [2, 0], sql`path`),
    await next('app_session', [2, 1], sql`null`),
  ] satisfies HitRow[][];
  const rows: HitRow[] = pages.flat().sort(byTime);
  // What follows a full page may be earlier than the end of the other one.
  const [end] = pages.flatMap((page) => (page.length < HITS_AT_ONCE ? [] : page.slice(-1))).sort(byTime);
  if (end === undefined) return { rows, isLast: true };
  return { rows: rows.filter((row) => byTime(row, end) <= 0), isLast: false };
}

/** Whether there are more visits and session starts than a number. */
export async function hasMoreHits(db: Executor, f: UsageFilter, most: number): Promise<boolean> {
  let all = 0;
  for (const table of ['visit', 'app_session'] as const) {
    const some = hitsIn(db, table, f)
      .select('id')
      .limit(most + 1);
    const { n } = await db
      .selectFrom(some.as('hit'))
      .select(sql<number>`count(*)`.as('n'))
      .executeTakeFirstOrThrow();
    all += Number(n);
  }
  return all > most;
}

function byTime(a: HitRow, b: HitRow): number {
  return a.time - b.time || a.id - b.id;
}

function timeIn(table: keyof typeof TIMES): RawBuilder<Micros> {
  return sql<Micros>`${sql.ref(TIMES[table])}`;
}

function hitsIn(db: Executor, table: keyof typeof TIMES, f: UsageFilter) {
  const when = timeIn(table);
  let query = db.selectFrom(table).where('data_version', '>=', f.minDataVersion).where(when, '<=', f.to);
  if (f.from !== null) query = query.where(when, '>=', f.from);
  if (f.contents) query = query.where('content_guid', 'in', f.contents);
  const { scope } = f;
  if (scope) query = query.where('content_guid', 'in', selectedContent(db, { scope }).select('guid'));
  return query;
}
