// Holds a rendering that shows much less than the one before for review: as a draft, which collaborators open, make
// live or discard.
import { SYSTEM, type Audit } from '../../audit/record.ts';
import type { BundleRow } from '../../bundles/store.ts';
import { findCanaryRule } from '../../canaries/store.ts';
import { aboutContent, findContent } from '../../content/store.ts';
import { appendEvent, type Reason, reasonColumns } from '../../events/store.ts';
import type { Config } from '../../main/config/settings.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import type { TaskContext } from '../../tasks/run-task.ts';
import { findTask } from '../../tasks/store.ts';
import { findDraft, saveDraft } from '../drafts/store.ts';
import type { Prepared } from '../pipeline.ts';
import type { OpenDeployed, ServedFiles } from '../sites/open-deployed.ts';
import { readSeen, type Seen } from './seen-of-pages.ts';

export interface Deployed {
  readonly db: Executor;
  readonly siteDirectory: (contentGuid: string, site: string) => string;
  readonly openDeployed: OpenDeployed | null;
}

/** Whether renderings of a content item may be held: then none is shown before the comparison. */
export async function mayBeHeld(db: Executor, contentGuid: string): Promise<boolean> {
  return (await findCanaryRule(db, contentGuid))?.shrink_limit != null;
}

/** Why a rendering is held, by the content's rule; null if it is not. */
export async function shrinkOf(
  deployed: Deployed,
  bundle: BundleRow,
  { site, isRendered }: Prepared,
): Promise<Reason | null> {
  const content = isRendered ? await findContent(deployed.db, bundle.content_guid) : undefined;
  if (!content?.site || content.rendering_id === null) return null;
  const shrink = await shrinkBeside(deployed, content, { site });
  if (shrink === null) return null;
  const text = `it is held for review: ${shrink.text}. Collaborators open it as the draft of bundle ${bundle.id}, and make it live or discard it`;
  return { ...shrink, text };
}

/** How a rendering falls short of the current one, beyond the content's rule; null if it does not. */
export async function shrinkBeside(
  { db, siteDirectory, openDeployed }: Deployed,
  shown: ServedFiles,
  { site }: Pick<Prepared, 'site'>,
): Promise<Reason | null> {
  const { guid, site: before } = shown;
  const limit = (await findCanaryRule(db, guid))?.shrink_limit;
  if (limit == null || before === null) return null;
  using held = (await openDeployed?.served(shown)) ?? null;
  const seen = await readSeen(held?.root ?? siteDirectory(guid, before));
  return describeShrink(seen, await readSeen(siteDirectory(guid, site)), limit);
}

/** @param limit in percent */
export function describeShrink(before: Seen, after: Seen, limit: number): Reason | null {
  const less = (was: number, is: number) => (was === 0 ? 0 : Math.floor(100 * (1 - is / was)));
  const text = less(before.letters, after.letters);
  if (text > limit)
    return {
      code: 'less_text',
      text: `it has ${text} % less text than what is live`,
      detail: `${text} %`,
    };
  const pictures = less(before.pictures, after.pictures);
  if (pictures <= limit) return null;
  return {
    code: 'fewer_pictures',
    text: `it has ${after.pictures} of ${before.pictures} pictures and tables`,
    detail: `${after.pictures}/${before.pictures}`,
  };
}

export interface HoldParts extends Pick<TaskContext, 'requireLease'> {
  readonly config: Config;
  readonly storage: Storage;
  readonly audit: Audit;
  readonly clock: Clock;
}

interface Parts extends HoldParts {
  /** Seconds. */
  readonly draftRetention: number;
}

/** Returns the directories that are no longer needed. */
export async function hold(
  { config, storage, audit, clock, draftRetention, requireLease }: Parts,
  taskId: string,
  { id: bundle_id, content_guid }: BundleRow,
  { site, ...prepared }: Prepared,
  reason: Reason,
): Promise<string[]> {
  return storage.write(async (tx) => {
    await requireLease(tx);
    const [task, content] = [await findTask(tx, taskId), await findContent(tx, content_guid)];
    if (!task || !content) return [];
    const known = await findDraft(tx, bundle_id);
    const { user_guid, created_time: asked_time } = task;
    const now = clock.now();
    await saveDraft(tx, {
      bundle_id,
      content_guid,
      name: known?.name ?? null,
      site,
      prepared: JSON.stringify(prepared),
      reviewed: 1,
      task_id: taskId,
      user_guid,
      asked_time,
      created_time: now,
      expires_time: now + draftRetention * 1_000_000,
    });
    if (config['Events.Webhooks'] !== '')
      await appendEvent(tx, {
        type: 'draft.held',
        time: now,
        started_time: asked_time,
        task_id: taskId,
        content_guid,
        bundle_id,
        user_guid,
        ...reasonColumns(reason),
      });
    const description = `Rendering of bundle ${bundle_id} of ${content.name} (${content_guid}): ${reason.text}`;
    const about = { content: content_guid, bundle: bundle_id, task: taskId };
    await audit(tx, SYSTEM, 'hold_rendering', description, about);
    return known && known.site !== site ? [known.site] : [];
  }, aboutContent(content_guid));
}
