// Database access for drafts: bundles deployed without becoming active.
import type { Selectable } from 'kysely';
import { OPEN } from '../../canaries/store.ts';
import type { DraftTable, Micros } from '../../platform/database/schema.ts';
import type { Executor } from '../../platform/database/storage.ts';

export type DraftRow = Selectable<DraftTable>;
export type NamedDraft = DraftRow & { readonly username: string | null };

export function findDraft(db: Executor, bundleId: number): Promise<DraftRow | undefined> {
  return db.selectFrom('draft').selectAll().where('bundle_id', '=', bundleId).executeTakeFirst();
}

/** The draft of a preview. */
export function findPreview(db: Executor, contentGuid: string, name: string): Promise<DraftRow | undefined> {
  return db
    .selectFrom('draft')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .where('name', '=', name)
    .executeTakeFirst();
}

/** Unexpired drafts of a content item, newest first. */
export function listDrafts(db: Executor, contentGuid: string, now: Micros): Promise<NamedDraft[]> {
  return db
    .selectFrom('draft')
    .leftJoin('user_account', 'user_account.guid', 'draft.user_guid')
    .selectAll('draft')
    .select('user_account.username')
    .where('draft.content_guid', '=', contentGuid)
    .where('draft.expires_time', '>', now)
    .orderBy('draft.asked_time', 'desc')
    .execute();
}

/** Directories of drafts, by content item. */
export async function draftSites(db: Executor, contentGuid?: string): Promise<Map<string, string[]>> {
  let query = db.selectFrom('draft').select(['content_guid', 'site']);
  if (contentGuid !== undefined) query = query.where('content_guid', '=', contentGuid);
  const sites = new Map<string, string[]>();
  for (const { content_guid, site } of await query.execute())
    sites.set(content_guid, [...(sites.get(content_guid) ?? []), site]);
  return sites;
}

/** Rendered drafts of documents, with their directory. */
export async function renderedDrafts(db: Executor): Promise<{ guid: string; site: string }[]> {
  const rows = await db
    .selectFrom('draft')
    .select(['content_guid', 'site'])
    .where('prepared', 'like', '%"isRendered":true%')
    .orderBy('content_guid')
    .execute();
  return rows.map(({ content_guid: guid, site }) => ({ guid, site }));
}

export function endedDrafts(db: Executor, now: Micros): Promise<DraftRow[]> {
  return db.selectFrom('draft').selectAll().where('expires_time', '<=', now).execute();
}

/** Microseconds: more than a day after the next housekeeping, for pages that stay open after the end of a canary. */
const CANARY_KEPT = 3 * 86_400_000_000;

/** Drafts of canaries, of one content item or all, do not expire before their end. */
export async function keepDraftsOfCanaries(db: Executor, now: Micros, contentGuid?: string): Promise<void> {
  const until = now + CANARY_KEPT;
  await db
    .updateTable('draft')
    .set({ expires_time: until })
    .where('expires_time', '<', until)
    .$if(contentGuid !== undefined, (query) => query.where('content_guid', '=', contentGuid!))
    .where('bundle_id', 'in', (query) =>
      query.selectFrom('canary').select('canary.bundle_id').where('state', 'in', OPEN),
    )
    .execute();
}

export async function saveDraft(db: Executor, row: DraftRow): Promise<void> {
  await db
    .insertInto('draft')
    .values(row)
    .onConflict((conflict) => conflict.column('bundle_id').doUpdateSet(row))
    .execute();
}

/** Keeps that somebody has decided on it. */
export async function markReviewed(db: Executor, bundleId: number): Promise<void> {
  await db.updateTable('draft').set({ reviewed: 1 }).where('bundle_id', '=', bundleId).execute();
}

/** Removes the preview name from a draft, which stays. */
export async function clearPreviewName(db: Executor, bundleId: number): Promise<void> {
  await db.updateTable('draft').set({ name: null }).where('bundle_id', '=', bundleId).execute();
}

export async function removeDraft(db: Executor, bundleId: number): Promise<void> {
  await db.deleteFrom('draft').where('bundle_id', '=', bundleId).execute();
}
