// The port of a storage engine. Nobody outside its folder asks which engine it is, only what it can do.
import type { Kysely, RawBuilder, Transaction } from 'kysely';
import type { Logger } from 'pino';
import type { Events } from './events.ts';
import type { Schema } from './schema.ts';

export type Database = Kysely<Schema>;
/** The first argument of store functions: the database, or the transaction to stay in. */
export type Executor = Database | Transaction<Schema>;

/** Connections to a database server. */
export interface ConnectionCounts {
  readonly open: number;
  readonly idle: number;
  /** Requests waiting for one. */
  readonly waiting: number;
}

export interface Opened extends AsyncDisposable {
  readonly db: Database;
  /** Events between servers of the same database. */
  readonly events: Events;
  /**
   * Changes once any server has written; null while that is unknown. Data read after the call may be cached under the
   * result, and used as long as it is the same.
   */
  generation(): number | null | Promise<number | null>;
  /** Like `generation`, but only for writes of other servers: a server knows its own changes. */
  generationElsewhere(): number | null | Promise<number | null>;
  /**
   * Like `generationElsewhere`, but up to 20 ms old and without a query: for public pages. A change that hides one
   * waits for `seenByAll` before it is confirmed.
   */
  generationLately(): number | null | Promise<number | null>;
  /** Resolves once no server uses a generation from before the call. */
  seenByAll(): Promise<void>;
  /** Null for a file. */
  connections(): ConnectionCounts | null;
  /** To be called first. @throws why a server cannot use it, with a remedy */
  check?(): Promise<void>;
  /** To be called once the tables are migrated to this version. */
  migrated?(): Promise<void>;
  /** Storage.hurry */
  hurry?(): void;
}

export interface Engine {
  /** Display name. */
  readonly name: string;
  /** Whether servers on other machines may use the database at the same time. */
  readonly isShared: boolean;
  /** Whether it opens this `Database.URL`; for an empty one, the path of a file. */
  accepts(where: string): boolean;
  /** @param log receives problems while it is open, and their remedy */
  open(where: string, log?: Logger): Opened;
  /**
   * Waits until no other transaction writes about the same key, or about everything. @param about null for everything
   */
  lockWriters(tx: Executor, about: string | null): Promise<void>;
  /** Whether there is a table: kysely would read the columns of all of them. */
  hasTable(tx: Executor, name: string): Promise<boolean>;
  /** A statement of a migration in the engine's dialect. */
  statement(migration: string): string;
  /** Statements that create the triggers behind a table, for `{triggers of TABLE}` in a migration. */
  readonly triggers: Readonly<Record<string, readonly string[]>>;
  /** The elements of a JSON array as rows with a column `value`, for `->>`. */
  jsonRows(json: string): RawBuilder<unknown>;
}

/**
 * Replaces `{id}`, `{int}`, `{real}` and `{strict}`: an ascending key that is never reused, types, the end of a table.
 */
export function fill(
  migration: string,
  words: Readonly<Record<'id' | 'int' | 'real' | 'strict', string>>,
): string {
  return migration.replace(/\{(id|int|real|strict)\}/g, (_, word: keyof typeof words) => words[word]);
}
