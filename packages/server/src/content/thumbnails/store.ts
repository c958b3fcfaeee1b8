// Database access for thumbnails.
import type { Selectable } from 'kysely';
import type { ThumbnailTable } from '../../platform/database/schema.ts';
import type { Executor } from '../../platform/database/storage.ts';

type ThumbnailRow = Selectable<ThumbnailTable>;

export function findThumbnail(db: Executor, guid: string): Promise<ThumbnailRow | undefined> {
  return db.selectFrom('thumbnail').selectAll().where('content_guid', '=', guid).executeTakeFirst();
}

/** Which of these content items have a thumbnail. */
export async function withThumbnail(db: Executor, guids: readonly string[]): Promise<Set<string>> {
  if (guids.length === 0) return new Set();
  const rows = await db
    .selectFrom('thumbnail')
    .select('content_guid')
    .where('content_guid', 'in', guids)
    .execute();
  return new Set(rows.map((row) => row.content_guid));
}

export async function setThumbnailRow(db: Executor, row: ThumbnailRow): Promise<void> {
  await removeThumbnailRow(db, row.content_guid);
  await db.insertInto('thumbnail').values(row).execute();
}

/** False if there was none. */
export async function removeThumbnailRow(db: Executor, guid: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('thumbnail')
    .where('content_guid', '=', guid)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
