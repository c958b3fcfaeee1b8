// Covers databases of earlier and of later versions.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MIGRATIONS } from './migrations.ts';
import { inspectFile } from './sqlite/copy.ts';
import { openMigrated, openStorage } from './storage.ts';

let file: string;
beforeEach(async () => {
  file = join(await mkdtemp(join(tmpdir(), 'pressroom-migrate-')), 'test.sqlite');
});
afterEach(() => rm(join(file, '..'), { recursive: true, force: true }));

/** Leaves a database as versions before kysely's Migrator did: with a count instead of names. */
async function leaveCount(version: number): Promise<void> {
  await using storage = await openStorage(file);
  await sql`drop table schema_migration`.execute(storage.db);
  await sql`drop table schema_migration_lock`.execute(storage.db);
  await sql`create table schema_version (version integer not null)`.execute(storage.db);
  await sql`insert into schema_version values (${version})`.execute(storage.db);
}

it('converts a database with counted migrations and opens it again', async () => {
  await leaveCount(MIGRATIONS.length);
  for (let i = 0; i < 2; i += 1) {
    await using storage = await openStorage(file);
    const { rows } = await sql<{ name: string }>`select name from schema_migration`.execute(storage.db);
    expect(rows).toHaveLength(MIGRATIONS.length);
    const tables = (await storage.db.introspection.getTables()).map(({ name }) => name);
    expect(tables).toContain('content');
    expect(tables).not.toContain('schema_version');
  }
});

it.each([
  ['counted', () => leaveCount(MIGRATIONS.length + 1)],
  [
    'named',
    async () => {
      await using storage = await openStorage(file);
      await sql`insert into schema_migration values ('9999', '2030-01-01T00:00:00.000Z')`.execute(storage.db);
    },
  ],
])('rejects a database of a newer version and leaves it unchanged: %s', async (_how, prepare) => {
  await prepare();
  await expect(openStorage(file)).rejects.toThrow('written by a newer version of Pressroom');
  await expect(openStorage(file)).rejects.toThrow('written by a newer version of Pressroom');
});

it('openMigrated opens a database of this version, and leaves that of an earlier server as it is', async () => {
  await (await openStorage(file))[Symbol.asyncDispose]();
  {
    await using storage = await openMigrated(file);
    await sql`delete from schema_migration where name = ${String(MIGRATIONS.length).padStart(4, '0')}`.execute(
      storage.db,
    );
  }
  await expect(openMigrated(file)).rejects.toThrow('the database is of an earlier version of Pressroom');
  expect(inspectFile(file).steps).toBe(MIGRATIONS.length - 1);
  await rm(file);
  await expect(openMigrated(file)).rejects.toThrow('the database is empty');
  expect(inspectFile(file).steps).toBe(0);
});

/** The last migration that breaks servers of the previous version. Its release notes say to stop all of them. */
const LAST_THAT_CHANGES = 27;
const ADDS =
  /^create (?:unique )?(?:table|index) |^\{triggers of \w+\}$|^alter table \w+ add column (?!.* not null(?!.* default ))/s;

/** Whether it sets only columns, or inserts only into a table, that its migration adds. */
function fillsNew(statement: string, migration: string): boolean {
  const [, filled] = /^insert into (\w+) /.exec(statement) ?? [];
  if (filled !== undefined) return migration.includes(`create table ${filled} (`);
  const [, table, one, several] =
    /^update (\w+) set (?:(\w+) = [^,]* where |\(([\w, ]+)\) = )/.exec(statement) ?? [];
  if (table === undefined) return false;
  const columns = one === undefined ? several!.split(', ') : [one];
  return columns.every((column) => migration.includes(`alter table ${table} add column ${column} `));
}

/** Whether it drops an index for which its migration has a better one: servers name no indexes. */
function replacesIndex(statement: string, migration: string): boolean {
  const [, name] = /^drop index (\w+)$/.exec(statement) ?? [];
  if (name === undefined) return false;
  const [table] = MIGRATIONS.flatMap(
    (text) => new RegExp(`create index ${name} on (\\w+)`).exec(text)?.[1] ?? [],
  );
  return new RegExp(`create index \\w+ on ${table} `).test(migration);
}

it('migrations only add, so that servers of the previous version keep running', () => {
  const others = MIGRATIONS.flatMap((migration, at) =>
    migration
      .split(';')
      .map((statement) => statement.trim())
      .filter(
        (statement) =>
          statement !== '' &&
          !ADDS.test(statement) &&
          !fillsNew(statement, migration) &&
          !replacesIndex(statement, migration),
      )
      .map((statement) => ({ number: at + 1, statement })),
  );
  expect(others.filter(({ number }) => number > LAST_THAT_CHANGES)).toEqual([]);
  expect(others.at(-1)?.number).toBe(LAST_THAT_CHANGES);
});
