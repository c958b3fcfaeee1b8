// Opens the database with the engine for its address, and migrates its tables.
import { ApiError } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import type { Engine, Executor, Opened } from './engine.ts';
import { migrate, requireMigrated } from './migrate.ts';
import { postgres } from './postgres/engine.ts';
import { sqlite } from './sqlite/engine.ts';

export type { Database, Executor } from './engine.ts';

export interface Storage
  extends Pick<Engine, 'name' | 'isShared' | 'jsonRows'>, Omit<Opened, 'check' | 'migrated' | 'hurry'> {
  /** To be called at shutdown: an unreachable database is waited for once more, not in each of the last steps. */
  hurry(): void;
  /**
   * Runs a writing transaction; within it, only `tx` may be used. Writers take turns, so what a transaction read is
   * still true when it writes. A turn begins with the first statement.
   * @param about the key of everything it reads and writes, such as `content:{guid}`: transactions with other keys run
   * concurrently; without a key it waits for all. An audit entry then comes last: there is one log for all.
   */
  write<T>(work: (tx: Executor) => Promise<T>, about?: string): Promise<T>;
  /**
   * Adds rows that no cache depends on, such as visits, without a turn: `generationElsewhere` of this server does not
   * change.
   */
  writeUnnoticed(work: (tx: Executor) => Promise<void>): Promise<void>;
}

const ENGINES: readonly Engine[] = [postgres, sqlite];

/**
 * Opens the database and migrates it.
 * @param where the address of a database server, or the path of an SQLite file.
 * @param log receives problems while it is open, and their remedy
 * @param accept sees the migrated database; if it throws, the database stays as it was
 */
export function openStorage(
  where: string,
  log?: Logger,
  accept?: (tx: Executor) => Promise<void>,
): Promise<Storage> {
  return open(where, log, async (engine, tx) => {
    await migrate(engine, tx);
    await accept?.(tx);
  });
}

/** For a program beside running servers. @throws if the tables are not of this version: they stay as they are. */
export function openMigrated(where: string): Promise<Storage> {
  return open(where, undefined, (_engine, tx) => requireMigrated(tx));
}

async function open(
  where: string,
  log: Logger | undefined,
  prepare: (engine: Engine, tx: Executor) => Promise<void>,
): Promise<Storage> {
  const engine = ENGINES.find((one) => one.accepts(where));
  if (!engine) throw new Error('Database.URL is not the address of a supported database');
  const opened = engine.open(where, log);
  const { db, events, generation, generationElsewhere, generationLately, seenByAll } = opened;
  const { name, isShared, jsonRows } = engine;
  const write = <T>(work: (tx: Executor) => Promise<T>, about: string | null = null): Promise<T> =>
    db.transaction().execute(async (tx) => {
      await engine.lockWriters(tx, about);
      return work(tx);
    });
  try {
    await opened.check?.();
    await write((tx) => prepare(engine, tx));
    await opened.migrated?.();
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    // At a start, the reader may be able to fix the cause.
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

/** Whether a statement failed because of a unique constraint, on either engine. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return code === '23505' || (message?.includes('UNIQUE constraint failed') ?? false);
}
