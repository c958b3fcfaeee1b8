// Opens the database of either engine and brings its tables up to date.
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import { MIGRATIONS, statementsFor } from './migrations.ts';
import type { Schema } from './schema.ts';
import { sqliteDialect } from './sqlite-dialect.ts';

/** What a repository function takes first: the database, or the transaction it must stay in. */
export type Executor = Kysely<Schema> | Transaction<Schema>;
export type Database = Kysely<Schema>;

export interface Storage extends AsyncDisposable {
  readonly engine: 'sqlite' | 'postgres';
  readonly db: Database;
  /** Grows with every write; null where other servers may write too, so that nothing read can be kept. */
  generation(): number | null;
  /**
   * Runs a transaction that changes something; within it, nothing but `tx` may be used. Writers take turns on both
   * engines (SQLite has but one), so what a transaction read is still true when it writes.
   */
  write<T>(work: (tx: Executor) => Promise<T>): Promise<T>;
}

/** The advisory lock that writers of one PostgreSQL database take, whichever server they belong to. */
const WRITE_LOCK = 7_303_014;

/**
 * Opens the database and migrates it.
 * @param where a `postgres://` address, or the path of an SQLite file.
 */
export async function openStorage(where: string): Promise<Storage> {
  const engine = /^postgres(ql)?:/.test(where) ? 'postgres' : 'sqlite';
  let writes = 0;
  const db = engine === 'postgres' ? openPostgres(where) : openSqlite(where, () => (writes += 1));
  const generation = () => (engine === 'sqlite' ? writes : null);
  const write = <T>(work: (tx: Executor) => Promise<T>): Promise<T> =>
    db.transaction().execute(async (tx) => {
      if (engine === 'postgres') await sql`select pg_advisory_xact_lock(${WRITE_LOCK})`.execute(tx);
      return work(tx);
    });
  try {
    await write((tx) => migrate(engine, tx));
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return { engine, db, generation, write, [Symbol.asyncDispose]: () => db.destroy() };
}

function openSqlite(file: string, onWrite: () => void): Database {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Its journal takes the mode of the file itself.
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  return new Kysely<Schema>({ dialect: sqliteDialect(file, onWrite) });
}

function openPostgres(connectionString: string): Database {
  // Counts and times are bigint: all stay far below 2^53.
  const types = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
  } as pg.CustomTypesConfig;
  const pool = new pg.Pool({ connectionString, max: 10, types });
  // An idle connection that breaks is replaced at its next use; without a listener it would end the process.
  pool.on('error', () => undefined);
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}

async function migrate(engine: Storage['engine'], tx: Executor): Promise<void> {
  await sql`create table if not exists schema_version (version integer not null)`.execute(tx);
  const { rows } = await sql<{ version: number }>`select version from schema_version`.execute(tx);
  const version = rows[0]?.version ?? 0;
  if (version > MIGRATIONS.length) {
    throw new Error(
      `the database is of a newer Pressroom (schema ${version}); this one knows ${MIGRATIONS.length}`,
    );
  }
  for (const migration of MIGRATIONS.slice(version)) {
    for (const statement of statementsFor(engine, migration)) await sql.raw(statement).execute(tx);
  }
  await sql`delete from schema_version`.execute(tx);
  await sql`insert into schema_version values (${MIGRATIONS.length})`.execute(tx);
}

/** True when a statement failed because a unique value is taken, on either engine. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return code === '23505' || (message?.includes('UNIQUE constraint failed') ?? false);
}
