// The time that leases are counted by: bots of one database share its clock, as theirs differ.
import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';

/** Milliseconds since the epoch, as an expression. */
export type LeaseClock = () => RawBuilder<number>;

/** @param now for tests; an SQLite file has one bot, and counts by its clock */
export function createLeaseClock(engine: Database['engine'], now: (() => number) | undefined): LeaseClock {
  if (engine === 'postgres' && now === undefined)
    return () => sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
  return () => sql<number>`cast(${(now ?? Date.now)()} as bigint)`;
}

export function plus(time: RawBuilder<number>, milliseconds: number): RawBuilder<number> {
  return sql<number>`${time} + cast(${milliseconds} as bigint)`;
}
