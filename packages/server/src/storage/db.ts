// Opens the database of either engine and brings its tables up to date.
import { mkdirSync } from 'node:fs';
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
}

/** Serialises the migrations of servers that start together on one PostgreSQL database. */
const MIGRATION_LOCK = 7_303_014;

/**
 * Opens the database and migrates it.
 * @param where a `postgres://` address, or the path of an SQLite file.
 */
export async function openStorage(where: string): Promise<Storage> {
  const engine = /^postgres(ql)?:/.test(where) ? 'postgres' : 'sqlite';
  const db = engine === 'postgres' ? openPostgres(where) : openSqlite(where);
  try {
    await migrate(engine, db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return { engine, db, [Symbol.asyncDispose]: () => db.destroy() };
}

function openSqlite(file: string): Database {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return new Kysely<Schema>({ dialect: sqliteDialect(file) });
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

async function migrate(engine: Storage['engine'], db: Database): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (engine === 'postgres') await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx);
    await sql`create table if not exists schema_version (version integer not null)`.execute(tx);
    const { rows } = await sql<{ version: number }>`select version from schema_version`.execute(tx);
    const version = rows[0]?.version ?? 0;
    if (version > MIGRATIONS.length) {
      throw new Error(`the database is of a newer Pressroom (schema ${version}); this one knows ${MIGRATIONS.length}`);
    }
    for (const migration of MIGRATIONS.slice(version)) {
      for (const statement of statementsFor(engine, migration)) await sql.raw(statement).execute(tx);
    }
    await sql`delete from schema_version`.execute(tx);
    await sql`insert into schema_version values (${MIGRATIONS.length})`.execute(tx);
  });
}

/** True when a statement failed because a unique value is taken, on either engine. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return code === '23505' || (message?.includes('UNIQUE constraint failed') ?? false);
}
