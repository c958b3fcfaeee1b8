// Daily totals of visits, in addition to the visits themselves, which remain authoritative. A day is counted either
// completely or not at all.
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Micros } from '../platform/database/schema.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';

/** Microseconds. Days are in UTC, as everywhere in the API. */
export const DAY = 86_400_000_000;
/** Visits are recorded with a delay, by servers whose clocks differ. */
const MARGIN = 3_600_000_000;
/** Key for writers of counts, and of counted visits. */
const ABOUT = 'usage';

export const dayOf = (time: Micros): number => Math.floor(time / DAY);

/** Counts past days that were not counted yet; returns their number. */
export async function rollUpVisits(storage: Storage, now: Micros, signal: AbortSignal): Promise<number> {
  const { db } = storage;
  const oldest = await db.selectFrom('visit').select('time').orderBy('time').limit(1).executeTakeFirst();
  if (!oldest) return 0;
  const [first, last] = [dayOf(oldest.time), dayOf(now - MARGIN) - 1];
  const known = new Set(await rolledDays(db, first, last));
  let counted = 0;
  for (let day = first; day <= last && !signal.aborted; day += 1) {
    if (known.has(day)) continue;
    await storage.write((tx) => rollUp(tx, day), ABOUT);
    counted += 1;
    // SQLite's statements do not wait for events: others would not get a turn.
    await setImmediate();
  }
  return counted;
}

async function rollUp(tx: Executor, day: number): Promise<void> {
  // Another server may have done it meanwhile.
  if ((await rolledDays(tx, day, day)).length > 0) return;
  await sql`
    insert into usage_day (day, content_guid, user_guid, visits)
    select ${sql.lit(day)}, content_guid, coalesce(user_guid, ''), count(*) from visit
    where time >= ${day * DAY} and time < ${(day + 1) * DAY}
    group by content_guid, coalesce(user_guid, '')`.execute(tx);
  await tx.insertInto('usage_rolled_day').values({ day }).execute();
}

/** Counted days in a range, in order. */
export async function rolledDays(db: Executor, first: number, last: number): Promise<number[]> {
  const rows = await db
    .selectFrom('usage_rolled_day')
    .select('day')
    .where('day', '>=', first)
    .where('day', '<=', last)
    .orderBy('day')
    .execute();
  return rows.map(({ day }) => day);
}

/**
 * Discards the totals of all days that start before a time: some of their visits are removed in the same transaction.
 */
export async function unrollBefore(tx: Executor, before: Micros): Promise<void> {
  const last = dayOf(before - 1);
  await tx.deleteFrom('usage_rolled_day').where('day', '<=', last).execute();
  await tx.deleteFrom('usage_day').where('day', '<=', last).execute();
}

/**
 * Adds visits. If they belong to days already counted, from a server with a slow clock or a long outage, those are
 * counted again.
 */
export async function addVisits(
  storage: Storage,
  times: readonly Micros[],
  add: (db: Executor) => Promise<void>,
): Promise<void> {
  const days = [...new Set(times.map(dayOf))];
  const isCounted = async (db: Executor) =>
    (await rolledDays(db, Math.min(...days), Math.max(...days))).some((day) => days.includes(day));
  if (!(await isCounted(storage.db))) return storage.writeUnnoticed(add);
  await storage.write(async (tx) => {
    await tx.deleteFrom('usage_rolled_day').where('day', 'in', days).execute();
    await tx.deleteFrom('usage_day').where('day', 'in', days).execute();
    await add(tx);
  }, ABOUT);
}
