// Database access for bundles.
import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import type { BundleTable, Micros } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';

export type BundleRow = Selectable<BundleTable>;

export function findBundle(db: Executor, id: number): Promise<BundleRow | undefined> {
  return db.selectFrom('bundle').selectAll().where('id', '=', id).executeTakeFirst();
}

const COLUMNS = Object.keys({
  id: 0,
  content_guid: 0,
  created_time: 0,
  created_by: 0,
  size: 0,
  md5: 0,
  sha1: 0,
  manifest: 0,
  parameters: 0,
  r_version: 0,
  py_version: 0,
  deployed_time: 0,
  blob: 0,
  source: 0,
  of_content: 0,
} satisfies Record<keyof BundleRow, 0>) as (keyof BundleRow)[];

type Joined = { [Column in keyof BundleRow]: `bundle.${Column} as bundle:${Column}` }[keyof BundleRow];

/** The columns of a bundle in a join, for `joinedBundle`. */
export const JOINED_BUNDLE = COLUMNS.map((column) => `bundle.${column} as bundle:${column}` as Joined);

/** The bundle in a row selected with `JOINED_BUNDLE`; undefined if the join found none. */
export function joinedBundle(
  row: Readonly<Record<`bundle:${keyof BundleRow}`, unknown>>,
): BundleRow | undefined {
  if (row['bundle:id'] === null) return undefined;
  return Object.fromEntries(COLUMNS.map((column) => [column, row[`bundle:${column}`]])) as BundleRow;
}

export function insertBundle(db: Executor, row: Insertable<BundleTable>): Promise<BundleRow> {
  return db.insertInto('bundle').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function updateBundleRow(db: Executor, id: number, set: Updateable<BundleTable>): Promise<void> {
  await db.updateTable('bundle').set(set).where('id', '=', id).execute();
}

export async function removeBundle(db: Executor, id: number): Promise<void> {
  await db.deleteFrom('bundle').where('id', '=', id).execute();
}

/** A bundle without its large columns. */
export type ListedBundle = Omit<BundleRow, 'manifest' | 'parameters'>;
const LISTED = COLUMNS.filter((column) => column !== 'manifest' && column !== 'parameters');

/** The bundles of a content item by id; all without a page. */
export async function listBundles(
  db: Executor,
  contentGuid: string,
  page?: { offset: number; limit: number },
): Promise<{ rows: ListedBundle[]; total: number }> {
  const ofContent = db.selectFrom('bundle').where('content_guid', '=', contentGuid);
  let query = ofContent.select(LISTED).orderBy('id');
  if (page) query = query.limit(page.limit).offset(page.offset);
  const rows = await query.execute();
  if (!page) return { rows, total: rows.length };
  const { n } = await ofContent.select(sql<number>`count(*)`.as('n')).executeTakeFirstOrThrow();
  return { rows, total: n };
}

/** Newest first. */
export function bundlesSince(db: Executor, contentGuid: string, time: Micros): Promise<BundleRow[]> {
  return db
    .selectFrom('bundle')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .where('created_time', '>=', time)
    .orderBy('id', 'desc')
    .execute();
}

export function newestBundle(db: Executor, contentGuid: string): Promise<BundleRow | undefined> {
  return db
    .selectFrom('bundle')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function hasAnyBundle(db: Executor): Promise<boolean> {
  return (await db.selectFrom('bundle').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** The archives of all bundles, for the sweep at start-up. */
export function allBundleArchives(db: Executor): Promise<Pick<BundleRow, 'id' | 'blob' | 'size' | 'md5'>[]> {
  return db.selectFrom('bundle').select(['id', 'blob', 'size', 'md5']).orderBy('id').execute();
}
