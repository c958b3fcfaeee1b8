// Opens the database, with the engine that its address asks for, and brings its tables up to date.
import { ApiError } from '@pressroom/api/contract';
import type { ConnectionCounts, Database, Engine, Executor } from './engine.ts';
import type { Events } from './events.ts';
import { migrate } from './migrate.ts';
import { postgres } from './postgres/engine.ts';
import { sqlite } from './sqlite/engine.ts';

export type { Database, Executor } from './engine.ts';

export interface Storage extends AsyncDisposable, Pick<Engine, 'name' | 'isShared' | 'jsonRows'> {
  readonly db: Database;
  /** What servers of the same database tell each other. */
  readonly events: Events;
  /**
   * Another number once anything was written, by whichever server; null while that is not known. What was read after
   * the question may be kept under its answer, and used as long as the answer is the same.
   */
  generation(): number | null | Promise<number | null>;
  /** The same of what other servers write: a server knows by itself what it changes. */
  generationElsewhere(): number | null | Promise<number | null>;
  /**
   * The same as it was up to 20 ms ago, which costs no question: for pages that nobody signs in for. Whoever takes one
   * away waits for `seenByAll` before they say so.
   */
  generationLately(): number | null | Promise<number | null>;
  /** Resolves when no server goes by a generation any more that was before the call. */
  seenByAll(): Promise<void>;
  /** To be called when the server stops: a database that is away is waited for once more, not at each of its last steps. */
  hurry(): void;
  /** Null where there are none, as with a file. */
  connections(): ConnectionCounts | null;
  /**
   * Runs a transaction that changes something; within it, nothing but `tx` may be used. Writers take turns, so what a
   * transaction read is still true when it writes. A turn begins with the first statement.
   * @param about what alone it reads and writes, such as `content:{guid}`: others may write about other things meanwhile,
   * unless they write about everything, as all do who do not say. An audit entry then comes last: the log is one for all.
   */
  write<T>(work: (tx: Executor) => Promise<T>, about?: string): Promise<T>;
  /**
   * Adds what nothing that is kept depends on, such as visits, without a turn: `generationElsewhere` of this server stays
   * as it is.
   */
  writeUnnoticed(work: (tx: Executor) => Promise<void>): Promise<void>;
}

const ENGINES: readonly Engine[] = [postgres, sqlite];

/**
 * Opens the database and migrates it.
 * @param where the address of a database server, or the path of an SQLite file.
 * @param warn told of what goes wrong while it is open, and what to do
 * @param accept sees it up to date; where it throws, the database stays as it was
 */
export async function openStorage(
  where: string,
  warn?: (message: string) => void,
  accept?: (tx: Executor) => Promise<void>,
): Promise<Storage> {
  const engine = ENGINES.find((one) => one.accepts(where));
  if (!engine) throw new Error('Database.URL is not the address of a supported database');
  const opened = engine.open(where, warn);
  const { db, events, generation, generationElsewhere, generationLately, seenByAll } = opened;
  const { name, isShared, jsonRows } = engine;
  const write = <T>(work: (tx: Executor) => Promise<T>, about: string | null = null): Promise<T> =>
    db.transaction().execute(async (tx) => {
      await engine.lockWriters(tx, about);
      return work(tx);
    });
  try {
    await opened.check?.();
    await write(async (tx) => {
      await migrate(engine, tx);
      await accept?.(tx);
    });
    await opened.migrated?.();
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    // At the start somebody reads it who may know why.
    throw error instanceof ApiError && error.cause !== undefined ? error.cause : error;
  }
  return {
    name,
    isShared,
    jsonRows,
    db,
    events,
    generation,
    generationElsewhere,
    generationLately,
    seenByAll,
    writeUnnoticed: (work) => db.transaction().execute(work),
    connections: opened.connections,
    hurry: () => opened.hurry?.(),
    write,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** True when a statement failed because a unique value is taken, on either engine. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return code === '23505' || (message?.includes('UNIQUE constraint failed') ?? false);
}
