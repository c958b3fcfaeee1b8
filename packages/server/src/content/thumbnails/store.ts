// Rows of the pictures of content.
import type { Selectable } from 'kysely';
import type { ThumbnailTable } from '../../platform/database/schema.ts';
import type { Executor } from '../../platform/database/storage.ts';

type ThumbnailRow = Selectable<ThumbnailTable>;

export function findThumbnail(db: Executor, guid: string): Promise<ThumbnailRow | undefined> {
  return db.selectFrom('thumbnail').selectAll().where('content_guid', '=', guid).executeTakeFirst();
}

export async function setThumbnailRow(db: Executor, row: ThumbnailRow): Promise<void> {
  await removeThumbnailRow(db, row.content_guid);
  await db.insertInto('thumbnail').values(row).execute();
}

/** False where there was none. */
export async function removeThumbnailRow(db: Executor, guid: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('thumbnail')
    .where('content_guid', '=', guid)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
