// Work that bots of one database do one at a time.
import { sql } from 'kysely';
import type { Database } from './database.ts';

/** First part of the advisory locks. */
const LOCKS = { edits: 7_303_016, outbox: 7_303_017, notices: 7_303_018 } as const;

/**
 * Runs it in a transaction, after that of another bot has ended: each would find what the other has not written yet.
 * @param what the second part of the lock
 */
export function exclusively<T>(
  { db, engine }: Pick<Database, 'db' | 'engine'>,
  lock: keyof typeof LOCKS,
  what: string,
  run: (db: Database['db']) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (tx) => {
    // An SQLite file has one bot, and its transactions take turns.
    if (engine === 'postgres')
      await sql`select pg_advisory_xact_lock(${LOCKS[lock]}, hashtext(${what}))`.execute(tx);
    return run(tx);
  });
}
