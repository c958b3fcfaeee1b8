// Database access for renderings: one for each time a document was rendered and shown.
import type { Insertable, Selectable } from 'kysely';
import type { RenderingTable } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';

export type RenderingRow = Selectable<RenderingTable>;

const LISTED = 100;

/** Renderings of a document with the values of its source, or of a variant; newest first. */
export function listRenderings(
  db: Executor,
  contentGuid: string,
  variant: string | null = null,
): Promise<RenderingRow[]> {
  return db
    .selectFrom('rendering')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .where('variant_key', variant === null ? 'is' : '=', variant)
    .orderBy('id', 'desc')
    .limit(LISTED)
    .execute();
}

/** The rendering of a task; undefined before it exists. */
export function findRenderingOf(
  db: Executor,
  contentGuid: string,
  task: string,
): Promise<RenderingRow | undefined> {
  return db
    .selectFrom('rendering')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .where('task_id', '=', task)
    .executeTakeFirst();
}

/** Returns its id. */
export async function insertRendering(db: Executor, row: Insertable<RenderingTable>): Promise<number> {
  const { id } = await db.insertInto('rendering').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}
