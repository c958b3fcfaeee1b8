// Rows of held renderings: what a variant would show, had it not shrunk. One at most for each variant.
import type { Selectable } from 'kysely';
import type { HeldRenderingTable } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';

export type HeldRow = Selectable<HeldRenderingTable>;

export function findHeld(db: Executor, key: string): Promise<HeldRow | undefined> {
  return db.selectFrom('held_rendering').selectAll().where('variant_key', '=', key).executeTakeFirst();
}

/** Those of a content item. */
export function listHeld(db: Executor, contentGuid: string): Promise<HeldRow[]> {
  return db.selectFrom('held_rendering').selectAll().where('content_guid', '=', contentGuid).execute();
}

/** In place of one that was held before. */
export async function saveHeld(db: Executor, row: HeldRow): Promise<void> {
  await db
    .insertInto('held_rendering')
    .values(row)
    .onConflict((conflict) => conflict.column('variant_key').doUpdateSet(row))
    .execute();
}

/** Removes it, and answers it: of several who do so at once, one gets it. */
export function takeHeld(db: Executor, key: string): Promise<HeldRow | undefined> {
  return db.deleteFrom('held_rendering').where('variant_key', '=', key).returningAll().executeTakeFirst();
}
