// Database access for variants: documents with a set of parameter values.
import type { Selectable, Updateable } from 'kysely';
import type { Micros, VariantTable } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';

export type VariantRow = Selectable<VariantTable>;

export function findVariant(db: Executor, key: string): Promise<VariantRow | undefined> {
  return db.selectFrom('variant').selectAll().where('variant_key', '=', key).executeTakeFirst();
}

/** Unexpired variants of a content item: by name, then unnamed ones, oldest first. */
export function listVariants(db: Executor, contentGuid: string, now: Micros): Promise<VariantRow[]> {
  return db
    .selectFrom('variant')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .where((eb) => eb.or([eb('expires_time', 'is', null), eb('expires_time', '>', now)]))
    .orderBy((eb) => eb.case().when('name_key', 'is', null).then(1).else(0).end())
    .orderBy('name_key')
    .orderBy('created_time')
    .execute();
}

export async function insertVariant(db: Executor, row: VariantRow): Promise<void> {
  await db.insertInto('variant').values(row).execute();
}

export async function updateVariantRow(
  db: Executor,
  key: string,
  set: Updateable<VariantTable>,
): Promise<void> {
  if (Object.keys(set).length > 0)
    await db.updateTable('variant').set(set).where('variant_key', '=', key).execute();
}

/** With its schedule and renderings. */
export async function removeVariantRow(db: Executor, key: string): Promise<void> {
  await db.deleteFrom('mail_recipient').where('variant_key', '=', key).execute();
  await db.deleteFrom('schedule').where('variant_key', '=', key).execute();
  await db.deleteFrom('rendering').where('variant_key', '=', key).execute();
  await db.deleteFrom('variant').where('variant_key', '=', key).execute();
}

/**
 * Content with named variants of another bundle than the live one that nobody has tried to render since its deploy, or
 * whose last task was interrupted.
 */
export async function contentsWithOutdatedVariants(db: Executor): Promise<string[]> {
  const rows = await db
    .selectFrom('variant')
    .innerJoin('content', 'content.guid', 'variant.content_guid')
    .leftJoin('task', 'task.id', 'variant.task_id')
    .select('content.guid')
    .distinct()
    .where('variant.name', 'is not', null)
    .where('content.rendering_id', 'is not', null)
    .whereRef('variant.bundle_id', '<>', 'content.bundle_id')
    .where((eb) =>
      eb.or([
        eb('task.id', 'is', null),
        eb('task.created_time', '<', eb.ref('content.last_deployed_time')),
        eb('task.end_reason', '=', 'interrupted'),
      ]),
    )
    .execute();
  return rows.map(({ guid }) => guid);
}

/** Expired variants. */
export function endedVariants(db: Executor, now: Micros): Promise<VariantRow[]> {
  return db.selectFrom('variant').selectAll().where('expires_time', '<=', now).execute();
}

/** Directories of variants and of held renderings, by content item. */
export async function variantSites(db: Executor, contentGuid?: string): Promise<Map<string, string[]>> {
  // Held ones first: one that is accepted meanwhile is then found among the variants.
  let held = db.selectFrom('held_rendering').select(['content_guid', 'site']);
  let shown = db.selectFrom('variant').select(['content_guid', 'site']).where('site', 'is not', null);
  if (contentGuid !== undefined) {
    held = held.where('content_guid', '=', contentGuid);
    shown = shown.where('content_guid', '=', contentGuid);
  }
  const sites = new Map<string, string[]>();
  for (const { content_guid, site } of [...(await held.execute()), ...(await shown.execute())])
    if (site !== null) sites.set(content_guid, [...(sites.get(content_guid) ?? []), site]);
  return sites;
}

/** Whether a visitor created the variant with own values. */
export async function isAdHoc(db: Executor, key: string): Promise<boolean> {
  const found = await findVariant(db, key);
  return found !== undefined && found.name === null;
}
