// Copies an SQLite database to an empty PostgreSQL database in one transaction, and compares every row.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { rowsOf, tablesOf, type Row, type SourceTable } from './sqlite/copy.ts';
import type { Executor, Storage } from './storage.ts';

export interface CopiedTable {
  readonly name: string;
  readonly rows: number;
}

/** Parameters per statement; PostgreSQL accepts 65,535. */
const PARAMETERS = 30_000;
const FETCHED = 2000;

/**
 * @param from a file that no server uses, with all migrations of this version
 * @param to has the tables of this version
 * @throws if the target is not empty, or a row differs after the copy; then nothing is written.
 */
export async function copyDatabase(from: string, to: Storage): Promise<CopiedTable[]> {
  const tables = tablesOf(from);
  return to.write(async (tx) => {
    for (const { name } of tables) {
      const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(tx);
      if (rows.length > 0) throw new Error(`the PostgreSQL database is not empty: ${name} has rows`);
    }
    const copied: CopiedTable[] = [];
    for (const table of tables) copied.push(await copyTable(tx, from, table));
    return copied;
  });
}

async function copyTable(tx: Executor, from: string, table: SourceTable): Promise<CopiedTable> {
  const { name, parent, lastId } = table;
  const before = createSum();
  const later: Row[] = [];
  let batch: Row[] = [];
  const send = async () => {
    if (batch.length > 0) await insert(tx, name, batch);
    batch = [];
  };
  for (const row of rowsOf(from, name)) {
    before.add(row);
    // Rows that reference another row of their table come after it.
    const isChild = parent !== null && row[parent.column] !== null;
    if (isChild) later.push(row);
    batch.push(isChild ? { ...row, [parent.column]: null } : row);
    if (batch.length * Object.keys(row).length >= PARAMETERS) await send();
  }
  await send();
  for (const row of later) {
    const [{ column, key }, names] = [parent!, sql.table(name)];
    await sql`update ${names} set ${sql.ref(column)} = ${row[column]} where ${sql.ref(key)} = ${row[key]}`.execute(
      tx,
    );
  }
  if (lastId !== null && lastId > 0)
    await sql`select setval(pg_get_serial_sequence(${name}, 'id'), ${lastId})`.execute(tx);
  const after = createSum();
  await sql`declare copied cursor for select * from ${sql.table(name)}`.execute(tx);
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(FETCHED)} from copied`.execute(tx);
    for (const row of rows) after.add(row);
    if (rows.length < FETCHED) break;
  }
  await sql`close copied`.execute(tx);
  if (before.value() !== after.value()) throw new Error(`the rows of ${name} did not arrive as they were`);
  return { name, rows: before.rows() };
}

async function insert(tx: Executor, name: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0]!);
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  const names = sql.join(columns.map((column) => sql.ref(column)));
  await sql`insert into ${sql.table(name)} (${names}) values ${sql.join(values)}`.execute(tx);
}

/** A checksum of rows, independent of their order. */
function createSum() {
  let count = 0;
  let total = 0n;
  return {
    add(row: Row) {
      const text = JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)));
      total += createHash('sha256').update(text).digest().readBigUInt64LE();
      count += 1;
    },
    rows: () => count,
    value: () => `${count} ${total}`,
  };
}
