// Opens the store of either engine and brings its tables up to date.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { Kysely, PostgresDialect, sql, SqliteDialect, type SqliteDatabase, type Transaction } from 'kysely';
import pg from 'pg';
import { MIGRATIONS } from './migrations.ts';
import type { Schema } from './schema.ts';

export type Executor = Kysely<Schema> | Transaction<Schema>;

export interface Database extends AsyncDisposable {
  readonly engine: 'sqlite' | 'postgres';
  readonly db: Kysely<Schema>;
}

/** The advisory lock of those who migrate one PostgreSQL database at the same time. */
const MIGRATION_LOCK = 7_303_015;

/** @param where a `postgres://` address, or the path of an SQLite file. */
export async function openDatabase(where: string): Promise<Database> {
  const engine = /^postgres(ql)?:/.test(where) ? 'postgres' : 'sqlite';
  const db = new Kysely<Schema>({ dialect: engine === 'postgres' ? postgres(where) : sqlite(where) });
  try {
    await db.transaction().execute((tx) => migrate(engine, tx));
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return { engine, db, [Symbol.asyncDispose]: () => db.destroy() };
}

function postgres(connectionString: string): PostgresDialect {
  // Times are bigint: all stay far below 2^53.
  const types = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
  } as pg.CustomTypesConfig;
  const pool = new pg.Pool({ connectionString, max: 10, types });
  // An idle connection that breaks is replaced at its next use; without a listener it would end the process.
  pool.on('error', () => undefined);
  return new PostgresDialect({ pool });
}

/** Kysely's dialect expects another driver; node:sqlite only lacks a word on whether a statement answers rows. */
function sqlite(file: string): SqliteDialect {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(file);
  for (const pragma of [
    'journal_mode = wal',
    'synchronous = full',
    'foreign_keys = on',
    'busy_timeout = 5000',
  ]) {
    database.exec(`pragma ${pragma}`);
  }
  const adapter: SqliteDatabase = {
    close: () => database.close(),
    prepare(text) {
      // Deferred transactions fail when another process writes in between.
      const statement = database.prepare(/^begin\b/i.test(text) ? 'begin immediate' : text);
      return {
        reader: statement.columns().length > 0,
        all: (values) => statement.all(...(values as SQLInputValue[])),
        run: (values) => statement.run(...(values as SQLInputValue[])),
        iterate: (values) => statement.iterate(...(values as SQLInputValue[])),
      };
    },
  };
  return new SqliteDialect({ database: adapter });
}

async function migrate(engine: Database['engine'], tx: Executor): Promise<void> {
  if (engine === 'postgres') await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx);
  await sql`create table if not exists slack_schema_version (version integer not null)`.execute(tx);
  const { rows } = await sql<{ version: number }>`select version from slack_schema_version`.execute(tx);
  const version = rows[0]?.version ?? 0;
  if (version > MIGRATIONS.length) {
    throw new Error(`the store is of a newer bot (schema ${version}); this one knows ${MIGRATIONS.length}`);
  }
  for (const migration of MIGRATIONS.slice(version)) {
    const words =
      engine === 'postgres' ? migration.replaceAll('{int}', 'bigint').replaceAll('{strict}', '') : migration;
    const statements = words.replaceAll('{int}', 'integer').replaceAll('{strict}', ' strict').split(';');
    for (const statement of statements) if (statement.trim() !== '') await sql.raw(statement).execute(tx);
  }
  await sql`delete from slack_schema_version`.execute(tx);
  await sql`insert into slack_schema_version values (${MIGRATIONS.length})`.execute(tx);
}
