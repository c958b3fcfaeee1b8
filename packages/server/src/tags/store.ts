// Database access for tags and tagged content.
import { sql, type Selectable } from 'kysely';
import type { TagTable } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';

export type TagRow = Selectable<TagTable>;

/** By name. */
export function listTags(db: Executor): Promise<TagRow[]> {
  return db.selectFrom('tag').selectAll().orderBy('name_key').orderBy('id').execute();
}

export function findTag(db: Executor, id: number): Promise<TagRow | undefined> {
  return db.selectFrom('tag').selectAll().where('id', '=', id).executeTakeFirst();
}

export function insertTag(db: Executor, row: Omit<TagRow, 'id' | 'name_key'>): Promise<TagRow> {
  return db
    .insertInto('tag')
    .values({ ...row, name_key: row.name.toLowerCase() })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateTagRow(
  db: Executor,
  id: number,
  { name, parent_id, updated_time }: Pick<TagRow, 'name' | 'parent_id' | 'updated_time'>,
): Promise<void> {
  await db
    .updateTable('tag')
    .set({ name, name_key: name.toLowerCase(), parent_id, updated_time })
    .where('id', '=', id)
    .execute();
}

/** The database removes its descendants. */
export async function removeTag(db: Executor, id: number): Promise<void> {
  await db.deleteFrom('tag').where('id', '=', id).execute();
}

/** A tag and its descendants. */
export async function branchOf(db: Executor, id: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive branch (id) as (
      select id from tag where id = ${id} union select tag.id from tag join branch on tag.parent_id = branch.id
    ) select id from branch`.execute(db);
  return rows.map((row) => row.id);
}

/** A tag and those above it, without their category. */
export async function pathOf(db: Executor, id: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive path (id, parent_id) as (
      select id, parent_id from tag where id = ${id}
      union select tag.id, tag.parent_id from tag join path on tag.id = path.parent_id
    ) select id from path where parent_id is not null`.execute(db);
  return rows.map((row) => row.id);
}

/** The tags of content items, by name. */
export function tagsOfContent(
  db: Executor,
  guids: readonly string[],
): Promise<(TagRow & { content_guid: string })[]> {
  return db
    .selectFrom('content_tag')
    .innerJoin('tag', 'tag.id', 'content_tag.tag_id')
    .selectAll('tag')
    .select('content_tag.content_guid')
    .where('content_tag.content_guid', 'in', guids)
    .orderBy('tag.name_key')
    .orderBy('tag.id')
    .execute();
}

/** False if it had them all. */
export async function insertContentTags(
  db: Executor,
  guid: string,
  ids: readonly number[],
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('content_tag')
    .values(ids.map((tag_id) => ({ content_guid: guid, tag_id })))
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows !== 0n;
}

/** False if it had none of them. */
export async function removeContentTags(
  db: Executor,
  guid: string,
  ids: readonly number[],
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('content_tag')
    .where('content_guid', '=', guid)
    .where('tag_id', 'in', ids)
    .executeTakeFirst();
  return numDeletedRows !== 0n;
}
