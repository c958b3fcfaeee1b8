// What a storage engine is. Nobody outside its folder asks which one it is: they ask what it can.
import type { Kysely, RawBuilder, Transaction } from 'kysely';
import type { Events } from './events.ts';
import type { Schema } from './schema.ts';

export type Database = Kysely<Schema>;
/** What a store's function takes first: the database, or the transaction it must stay in. */
export type Executor = Database | Transaction<Schema>;

/** Of the connections to a database server. */
export interface ConnectionCounts {
  readonly open: number;
  readonly idle: number;
  /** Requests that wait for one. */
  readonly waiting: number;
}

export interface Opened extends AsyncDisposable {
  readonly db: Database;
  readonly events: Events;
  /** Storage.generation */
  generation(): number | Promise<number | null>;
  /** Storage.generationElsewhere */
  generationElsewhere(): number | Promise<number | null>;
  /** Storage.generationLately */
  generationLately(): number | Promise<number | null>;
  /** Storage.seenByAll */
  seenByAll(): Promise<void>;
  /** Storage.connections */
  connections(): ConnectionCounts | null;
  /** To be called before anything else. @throws what keeps a server from working over it, and what to do */
  check?(): Promise<void>;
  /** To be called once the tables are those of this version. */
  migrated?(): Promise<void>;
  /** Storage.hurry */
  hurry?(): void;
}

export interface Engine {
  /** For people. */
  readonly name: string;
  /** Whether servers on other machines may use the database at the same time. */
  readonly isShared: boolean;
  /** Whether it opens what `Database.URL` says; the path of a file where that is empty. */
  accepts(where: string): boolean;
  /** @param warn told of what goes wrong while it is open, and what to do */
  open(where: string, warn?: (message: string) => void): Opened;
  /** Waits until no other transaction writes about the same, or about everything. @param about null: everything */
  lockWriters(tx: Executor, about: string | null): Promise<void>;
  /** A statement of a migration in the engine's own words. */
  statement(migration: string): string;
  /** The elements of a JSON array as rows with a column `value`, which `->>` reads. */
  jsonRows(json: string): RawBuilder<unknown>;
}

/** Replaces `{id}`, `{int}`, `{real}` and `{strict}`: an ascending key that is never given twice, types, the end of a table. */
export function fill(
  migration: string,
  words: Readonly<Record<'id' | 'int' | 'real' | 'strict', string>>,
): string {
  return migration.replace(/\{(id|int|real|strict)\}/g, (_, word: keyof typeof words) => words[word]);
}
