// Migrates the tables with kysely's Migrator; older databases keep their position in the list.
import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { messageOf } from '../errors.ts';
import type { Engine, Executor } from './engine.ts';
import { MIGRATIONS } from './migrations.ts';

const TABLE = 'schema_migration';
/** A statement of a migration. */
const TRIGGERS = /^\{triggers of (\w+)\}$/;
const NEWER = 'the database was written by a newer version of Pressroom';

/**
 * In the caller's transaction: a failed migration changes nothing.
 * @throws if a newer server has written the database.
 */
export async function migrate(engine: Engine, tx: Executor): Promise<void> {
  if (await isCurrent(engine, tx)) return;
  await adoptCount(engine, tx);
  const migrator = new Migrator({
    db: tx,
    provider: { getMigrations: async () => migrationsOf(engine) },
    migrationTableName: TABLE,
    migrationLockTableName: `${TABLE}_lock`,
  });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  if (!messageOf(error).startsWith('corrupted migrations')) throw error;
  throw new Error(NEWER, { cause: error });
}

/** Changes nothing. @throws if the tables are not of this version. */
export async function requireMigrated(tx: Executor): Promise<void> {
  const tables = await tx.introspection.getTables();
  if (tables.length === 0)
    throw new Error(
      'the database is empty: see that Database.URL is right, or leave out Database.URL until npm run move-database has copied the other',
    );
  const names = tables.some(({ name }) => name === TABLE)
    ? (await sql`select name from ${sql.table(TABLE)}`.execute(tx)).rows
    : [];
  if (names.length > MIGRATIONS.length) throw new Error(NEWER);
  if (names.length < MIGRATIONS.length)
    throw new Error(
      'the database is of an earlier version of Pressroom: run this in that version, or start a server of this one first',
    );
}

/** As at most starts: the migrator reads the columns of all tables, several times. */
async function isCurrent(engine: Engine, tx: Executor): Promise<boolean> {
  if (!(await engine.hasTable(tx, TABLE))) return false;
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(TABLE)} order by name`.execute(
    tx,
  );
  return rows.length === MIGRATIONS.length && rows.every(({ name }, at) => name === nameOf(at));
}

/** Older databases count their migrations in a separate table. */
async function adoptCount(engine: Engine, tx: Executor): Promise<void> {
  if (!(await engine.hasTable(tx, 'schema_version'))) return;
  const { rows } = await sql<{ version: number }>`select version from schema_version`.execute(tx);
  await sql`create table ${sql.table(TABLE)} (
    name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(tx);
  for (let at = 0; at < (rows[0]?.version ?? 0); at += 1) {
    const time = new Date(at).toISOString();
    await sql`insert into ${sql.table(TABLE)} values (${nameOf(at)}, ${time})`.execute(tx);
  }
  await sql`drop table schema_version`.execute(tx);
}

function migrationsOf(engine: Engine): Record<string, Migration> {
  return Object.fromEntries(
    MIGRATIONS.map((migration, at) => {
      const statements = engine
        .statement(migration)
        .split(';')
        .map((statement) => statement.trim())
        .flatMap((statement) => engine.triggers[TRIGGERS.exec(statement)?.[1] ?? ''] ?? [statement]);
      const up = async (db: Kysely<unknown>) => {
        for (const statement of statements) if (statement !== '') await sql.raw(statement).execute(db);
      };
      return [nameOf(at), { up }];
    }),
  );
}

function nameOf(at: number): string {
  return String(at + 1).padStart(4, '0');
}
