// Rows of renderings: each time a document was rendered and shown.
import type { Insertable } from 'kysely';
import type { RenderingTable } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';

/** Answers its id. */
export async function insertRendering(db: Executor, row: Insertable<RenderingTable>): Promise<number> {
  const { id } = await db.insertInto('rendering').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}
