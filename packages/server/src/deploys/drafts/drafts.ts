// Commands on drafts: list, read, discard, and expiry.
import { errors } from '@pressroom/api/contract';
import { SYSTEM, type Actor, type Audit } from '../../audit/record.ts';
import { findOpenCanary } from '../../canaries/store.ts';
import { loadContent } from '../../content/commands.ts';
import { aboutContent, findContent, type ContentRow } from '../../content/store.ts';
import { recordReleaseEvent } from '../../events/release-event.ts';
import type { Reason } from '../../events/store.ts';
import type { Config } from '../../main/config/settings.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { openTasksOf } from '../../tasks/store.ts';
import type { DeployService } from '../deploy-service.ts';
import {
  endedDrafts,
  findDraft,
  keepDraftsOfCanaries,
  listDrafts,
  removeDraft,
  type DraftRow,
  type NamedDraft,
} from './store.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly deploys: DeployService;
  readonly contentChanged: (guid: string) => void;
}

export async function draftsOf(
  { storage, clock }: Pick<Parts, 'storage' | 'clock'>,
  caller: Caller,
  guid: string,
): Promise<{ content: ContentRow; drafts: NamedDraft[] }> {
  const { content } = await loadContent(storage.db, guid, caller, 'readJobs');
  return { content, drafts: await listDrafts(storage.db, content.guid, clock.now()) };
}

/**
 * @param task of the draft that is meant; without it, whichever the bundle has
 * @throws ApiError 4 if the bundle is no draft, 100 while it is deployed or a canary, and for another draft of it
 */
export async function discardDraft(
  parts: Parts,
  caller: Caller,
  guid: string,
  id: string,
  task?: string,
): Promise<void> {
  const { storage, deploys, contentChanged } = parts;
  const removed = await storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'deployContent');
    const draft = await findDraft(tx, Number(id));
    if (draft?.content_guid !== content.guid)
      throw errors.notFound({ message: `bundle ${id} is no draft of this content` });
    if (task !== undefined) requireDraft(draft, draft.bundle_id, task);
    if (await isBusy(tx, draft)) throw errors.itemBusy();
    await end(tx, parts, caller, content, draft, 'Discarded');
    return draft;
  }, aboutContent(guid));
  contentChanged(removed.content_guid);
  await deploys.removeDraftSite(removed.content_guid, removed.site);
}

/** What somebody decides on must be the bundle's draft still. @throws ApiError 100 */
export function requireDraft(draft: DraftRow | undefined, bundleId: number, task: string): void {
  if (draft?.task_id === task) return;
  throw errors.itemBusy({
    message: `the draft of bundle ${bundleId} has ended, or another has replaced it: look at it, then decide again`,
  });
}

/** Removes expired drafts; those being deployed stay until the next round, canaries longer. Returns their number. */
export async function removeEndedDrafts(parts: Parts): Promise<number> {
  const { storage, clock, deploys, contentChanged } = parts;
  let count = 0;
  await storage.write((tx) => keepDraftsOfCanaries(tx, clock.now()));
  for (const { bundle_id, content_guid } of await endedDrafts(storage.db, clock.now())) {
    const removed = await storage.write(async (tx) => {
      const [draft, content] = [await findDraft(tx, bundle_id), await findContent(tx, content_guid)];
      if (!draft || !content || draft.expires_time > clock.now() || (await isBusy(tx, draft))) return null;
      await end(tx, parts, SYSTEM, content, draft, 'Ended');
      return draft;
    }, aboutContent(content_guid));
    if (!removed) continue;
    count += 1;
    contentChanged(content_guid);
    await deploys.removeDraftSite(content_guid, removed.site);
  }
  return count;
}

async function isBusy(tx: Executor, { content_guid, bundle_id }: DraftRow): Promise<boolean> {
  if ((await findOpenCanary(tx, content_guid))?.bundle_id === bundle_id) return true;
  return (await openTasksOf(tx, content_guid)).some((task) => task.bundle_id === bundle_id);
}

async function end(
  tx: Executor,
  parts: Pick<Parts, 'config' | 'clock' | 'audit'>,
  actor: Actor,
  { guid, name }: ContentRow,
  { bundle_id, name: preview }: DraftRow,
  what: 'Discarded' | 'Ended',
): Promise<void> {
  await removeDraft(tx, bundle_id);
  const reason: Reason =
    what === 'Discarded'
      ? { code: 'discarded', text: `${actor.full_name || actor.username} discarded it` }
      : { code: 'expired', text: 'it was kept long enough' };
  const about = { content_guid: guid, bundle_id, user_guid: actor.guid, reason };
  await recordReleaseEvent(tx, parts, 'draft.ended', about);
  const which = preview === null ? '' : `, preview ${preview},`;
  const description = `${what} the draft of bundle ${bundle_id}${which} of content ${name} (${guid})`;
  await parts.audit(tx, actor, 'remove_draft', description, { content: guid, bundle: bundle_id });
}
