// Stores a prepared deploy as a draft until it is activated or expires, and takes it from there.
import { existsSync } from 'node:fs';
import { errors } from '@pressroom/api/contract';
import type { BundleRow } from '../../bundles/store.ts';
import { findOpenCanary } from '../../canaries/store.ts';
import { findContent } from '../../content/store.ts';
import { recordReleaseEvent } from '../../events/release-event.ts';
import type { Config } from '../../main/config/settings.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database/storage.ts';
import { openTasksOf, type TaskRow } from '../../tasks/store.ts';
import type { Prepared } from '../pipeline.ts';
import { findDraft, findPreview, removeDraft, saveDraft, clearPreviewName, type DraftRow } from './store.ts';

interface Parts {
  readonly config: Config;
  readonly clock: Clock;
  /** Seconds that a draft is kept. */
  readonly retention: number;
}

export function preparedOf({ site, prepared }: DraftRow): Prepared {
  return { ...(JSON.parse(prepared) as Omit<Prepared, 'site'>), site };
}

/**
 * The draft of a bundle, if its files exist: a restored backup may lack them.
 * @param isStored files that are missing are unpacked from a store
 */
export async function findUsableDraft(
  db: Executor,
  bundle: BundleRow,
  siteDirectory: (contentGuid: string, site: string) => string,
  isStored: boolean,
): Promise<DraftRow | undefined> {
  const draft = await findDraft(db, bundle.id);
  if (!draft || isStored) return draft;
  return existsSync(siteDirectory(draft.content_guid, draft.site)) ? draft : undefined;
}

/** @throws ApiError 39 */
export function requireInactive(content: { readonly bundle_id: number | null }, bundleId: number): void {
  if (content.bundle_id === bundleId)
    throw errors.actionNotSupported({
      message: `bundle ${bundleId} is active: upload another one to make a draft`,
    });
}

/**
 * To be called in the transaction that ends the task. The draft takes over the preview, unless a later deploy has it.
 * @returns the directories that are no longer needed
 */
export async function keepDraft(
  tx: Executor,
  parts: Parts,
  task: Pick<TaskRow, 'id' | 'user_guid' | 'created_time'>,
  bundle: BundleRow,
  { site, ...prepared }: Prepared,
  preview: string | null,
): Promise<string[]> {
  const { clock, retention } = parts;
  const { id: bundle_id, content_guid } = bundle;
  const content = await findContent(tx, content_guid);
  if (!content) throw errors.notFound({ message: 'the content was deleted during its deploy' });
  requireInactive(content, bundle_id);
  const known = await findDraft(tx, bundle_id);
  const left = known && known.site !== site ? [known.site] : [];
  const before = preview === null ? undefined : await findPreview(tx, content_guid, preview);
  const isOther = before !== undefined && before.bundle_id !== bundle_id;
  const isLater = isOther && before.asked_time > task.created_time;
  if (isOther && !isLater) {
    const isBusy =
      (await openTasksOf(tx, content_guid)).some((open) => open.bundle_id === before.bundle_id) ||
      (await findOpenCanary(tx, content_guid))?.bundle_id === before.bundle_id;
    if (isBusy) await clearPreviewName(tx, before.bundle_id);
    else {
      await removeDraft(tx, before.bundle_id);
      await recordReleaseEvent(tx, parts, 'draft.ended', {
        content_guid,
        bundle_id: before.bundle_id,
        user_guid: task.user_guid,
        reason: { code: 'other_preview', text: `bundle ${bundle_id} is the preview ${preview} now` },
      });
      left.push(before.site);
    }
  }
  const now = clock.now();
  await saveDraft(tx, {
    bundle_id,
    content_guid,
    name: (isLater ? null : preview) ?? known?.name ?? null,
    site,
    prepared: JSON.stringify(prepared),
    reviewed: known?.site === site ? known.reviewed : 0,
    task_id: task.id,
    user_guid: task.user_guid,
    asked_time: task.created_time,
    created_time: known?.created_time ?? now,
    expires_time: now + retention * 1_000_000,
  });
  return left;
}
