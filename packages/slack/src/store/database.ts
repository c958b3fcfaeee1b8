// Opens the database of either engine and migrates its tables.
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { NodeSqliteDialect } from '@pressroom/node-sqlite';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { migrate } from './migrations.ts';
import type { Schema } from './schema.ts';

export interface Database extends AsyncDisposable {
  readonly engine: 'sqlite' | 'postgres';
  readonly db: Kysely<Schema>;
}

/** @param where a `postgres://` address, or the path of an SQLite file. */
export async function openDatabase(where: string): Promise<Database> {
  const engine = /^postgres(ql)?:/.test(where) ? 'postgres' : 'sqlite';
  const db = new Kysely<Schema>({ dialect: engine === 'postgres' ? postgres(where) : sqlite(where) });
  try {
    await migrate(engine, db);
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
  // A broken idle connection is replaced at its next use; without a listener it would end the process.
  pool.on('error', () => undefined);
  return new PostgresDialect({ pool });
}

function sqlite(file: string): NodeSqliteDialect {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // The directory may exist and be open to others: SQLite creates additional files with the mode of the database.
  closeSync(openSync(file, 'a', 0o600));
  for (const one of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(one)) chmodSync(one, 0o600);
  return new NodeSqliteDialect(file);
}
