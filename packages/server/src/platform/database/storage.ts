// Opens the database, with the engine that its address asks for, and brings its tables up to date.
import type { Database, Engine, Executor } from './engine.ts';
import { migrate } from './migrate.ts';
import { postgres } from './postgres/engine.ts';
import { sqlite } from './sqlite/engine.ts';

export type { Database, Executor } from './engine.ts';

export interface Storage extends AsyncDisposable, Pick<Engine, 'name' | 'isShared' | 'jsonRows'> {
  readonly db: Database;
  /** Grows with every write; null where other servers may write too, so that nothing read can be kept. */
  generation(): number | null;
  /**
   * Runs a transaction that changes something; within it, nothing but `tx` may be used. Writers take turns, so what a
   * transaction read is still true when it writes.
   */
  write<T>(work: (tx: Executor) => Promise<T>): Promise<T>;
}

const ENGINES: readonly Engine[] = [postgres, sqlite];

/**
 * Opens the database and migrates it.
 * @param where the address of a database server, or the path of an SQLite file.
 */
export async function openStorage(where: string): Promise<Storage> {
  const engine = ENGINES.find((one) => one.accepts(where));
  if (!engine) throw new Error('Database.URL is not the address of a supported database');
  let writes = 0;
  const db = engine.open(where, () => (writes += 1));
  const { name, isShared, jsonRows } = engine;
  const generation = () => (isShared ? null : writes);
  const write = <T>(work: (tx: Executor) => Promise<T>): Promise<T> =>
    db.transaction().execute(async (tx) => {
      await engine.lockWriters(tx);
      return work(tx);
    });
  try {
    await write((tx) => migrate(engine, tx));
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return { name, isShared, jsonRows, db, generation, write, [Symbol.asyncDispose]: () => db.destroy() };
}

/** True when a statement failed because a unique value is taken, on either engine. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return code === '23505' || (message?.includes('UNIQUE constraint failed') ?? false);
}
