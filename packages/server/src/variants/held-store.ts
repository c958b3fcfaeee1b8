// Database access for held renderings of variants, at most one each.
import type { Selectable } from 'kysely';
import type { HeldRenderingTable } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';

export type HeldRow = Selectable<HeldRenderingTable>;

export function findHeld(db: Executor, key: string): Promise<HeldRow | undefined> {
  return db.selectFrom('held_rendering').selectAll().where('variant_key', '=', key).executeTakeFirst();
}

/** Held renderings of a content item. */
export function listHeld(db: Executor, contentGuid: string): Promise<HeldRow[]> {
  return db.selectFrom('held_rendering').selectAll().where('content_guid', '=', contentGuid).execute();
}

/** Replaces one that is held. */
export async function saveHeld(db: Executor, row: HeldRow): Promise<void> {
  await db
    .insertInto('held_rendering')
    .values(row)
    .onConflict((conflict) => conflict.column('variant_key').doUpdateSet(row))
    .execute();
}

/** Removes and returns it; of concurrent callers, one gets it. */
export function takeHeld(db: Executor, key: string): Promise<HeldRow | undefined> {
  return db.deleteFrom('held_rendering').where('variant_key', '=', key).returningAll().executeTakeFirst();
}
