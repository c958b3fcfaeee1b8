// SQLite files: consistent copies for backups, inspection without changes, and reading everything for another engine.
import { chmodSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { AuditHeadTable } from '../schema.ts';

/** Maximum milliseconds to wait for a writer. */
const BUSY_MS = 60_000;

/** Files that the database refers to. */
export interface NamedFiles {
  readonly bundles: readonly number[];
  /** Sites of deploys, drafts, and renderings of variants. */
  readonly sites: readonly { readonly guid: string; readonly site: string }[];
}

/** Makes a consistent copy while a server writes; in a directory that nobody else may enter. */
export function copyDatabase(from: string, to: string): void {
  using source = new DatabaseSync(from, { readOnly: true });
  source.exec(`pragma busy_timeout = ${BUSY_MS}`);
  source.prepare('vacuum into ?').run(to);
  // Readable by its owner only, wherever the copy is unpacked.
  chmodSync(to, 0o600);
}

export function filesNamedIn(file: string): NamedFiles {
  using database = new DatabaseSync(file, { readOnly: true });
  const bundles = database.prepare('select id from bundle order by id').all();
  // Older versions lack some of them.
  const isTable = database.prepare('select 1 from sqlite_schema where name = ?');
  const others = ['variant', 'draft', 'held_rendering']
    .filter((name) => isTable.get(name) !== undefined)
    .map((name) => `union select content_guid, site from ${name} where site is not null`);
  const sites = database
    .prepare(`select guid, site from content where site is not null ${others.join(' ')} order by 1, 2`)
    .all();
  return {
    bundles: bundles.map(({ id }) => Number(id)),
    sites: sites.map(({ guid, site }) => ({ guid: String(guid), site: String(site) })),
  };
}

export interface DatabaseState {
  readonly isWhole: boolean;
  /** Number of applied migrations. */
  readonly steps: number;
  /** Whether anybody has an account. */
  readonly hasPeople: boolean;
  readonly hasBundles: boolean;
}

/** @throws for a file that cannot be opened, or is no database. */
export function inspectFile(file: string): DatabaseState {
  using database = new DatabaseSync(file, { readOnly: true });
  const [check] = database.prepare('pragma integrity_check(1)').all();
  const table = database.prepare("select 1 from sqlite_schema where type = 'table' and name = ?");
  const first = (name: string, query: string) =>
    table.get(name) === undefined ? undefined : database.prepare(query).get();
  const counted = first('schema_migration', 'select max(name) as steps from schema_migration');
  return {
    isWhole: check?.['integrity_check'] === 'ok',
    steps: Number(counted?.['steps'] ?? 0),
    hasPeople: first('user_account', 'select 1 from user_account limit 1') !== undefined,
    hasBundles: first('bundle', 'select 1 from bundle limit 1') !== undefined,
  };
}

/**
 * The end of the audit log; undefined if there is none yet. @throws for a file that cannot be opened, or is no
 * database.
 */
export function auditHeadOfFile(file: string): Pick<AuditHeadTable, 'seq' | 'mac' | 'seal'> | undefined {
  using database = new DatabaseSync(file, { readOnly: true });
  const tables = database.prepare("select 1 from sqlite_schema where name = 'audit_head'").all();
  const row =
    tables.length === 0
      ? undefined
      : database.prepare("select seq, mac, seal from audit_head where name = 'audit'").get();
  return row && { seq: Number(row['seq']), mac: String(row['mac']), seal: String(row['seal']) };
}

/** Triggers fill these. */
const DERIVED = ['user_portion', 'content_text'];

export type Row = Readonly<Record<string, unknown>>;

export interface SourceTable {
  readonly name: string;
  /** Reference to other rows of the same table. */
  readonly parent: { readonly column: string; readonly key: string } | null;
  /** The last generated id; null for tables without. */
  readonly lastId: number | null;
}

/** The server's tables, each after those that it references. */
export function tablesOf(file: string): SourceTable[] {
  using database = new DatabaseSync(file, { readOnly: true });
  const names = database
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !name.startsWith('schema_migration') && !DERIVED.includes(name));
  const sequences = new Map(
    database
      .prepare('select name, seq from sqlite_sequence')
      .all()
      .map((row) => [row['name'], Number(row['seq'])]),
  );
  const ordered: SourceTable[] = [];
  const isPlaced = (name: string) => ordered.some((table) => table.name === name);
  const place = (name: string): void => {
    if (isPlaced(name)) return;
    let parent: SourceTable['parent'] = null;
    for (const key of database.prepare(`pragma foreign_key_list("${name}")`).all()) {
      if (key['table'] === name) parent = { column: String(key['from']), key: String(key['to']) };
      else place(String(key['table']));
    }
    const givesIds = database
      .prepare("select 1 from sqlite_schema where name = ? and sql like '%autoincrement%'")
      .get(name);
    ordered.push({ name, parent, lastId: givesIds ? (sequences.get(name) ?? 0) : null });
  };
  for (const name of names) place(name);
  return ordered;
}

export function* rowsOf(file: string, table: string): Generator<Row> {
  using database = new DatabaseSync(file, { readOnly: true });
  yield* database.prepare(`select * from "${table}"`).iterate();
}
