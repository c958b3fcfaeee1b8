// Commands on releases: pending ones, approve, override in an emergency.
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../../audit/record.ts';
import { findBundle, type BundleRow } from '../../bundles/store.ts';
import { unendedCanaries } from '../../canaries/store.ts';
import { loadContent } from '../../content/commands.ts';
import type { ContentAction } from '../../content/policy.ts';
import { aboutContent, type ContentRow } from '../../content/store.ts';
import { recordReleaseEvent } from '../../events/release-event.ts';
import type { Config } from '../../main/config/settings.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { standingOf, type Standing } from './approvals.ts';
import { describeApprovers, isNamed, namesOf } from './approvers.ts';
import { insertApproval, pendingReleases, saveRelease } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly config: Config;
}

export interface PendingRelease extends Standing {
  readonly bundle: BundleRow;
}

/** Pending releases, with their approvals. An approved canary goes live by itself, or is promoted as a canary. */
export async function releasesOf(
  { storage }: Pick<Parts, 'storage'>,
  caller: Caller,
  guid: string,
): Promise<PendingRelease[]> {
  const { content } = await loadContent(storage.db, guid, caller, 'readJobs');
  const canaries = (await unendedCanaries(storage.db, content.guid)).map((canary) => canary.bundle_id);
  const found: PendingRelease[] = [];
  for (const { bundle_id } of await pendingReleases(storage.db, content.guid)) {
    const bundle = await findBundle(storage.db, bundle_id);
    if (!bundle) continue;
    const standing = await standingOf(storage.db, content, bundle);
    if (!standing.mayGoLive || !canaries.includes(bundle_id)) found.push({ ...standing, bundle });
  }
  return found;
}

/**
 * Once per person.
 * @throws ApiError 4 if it is not pending, 22 for the author of the bundle and for people whom the rule does not name
 */
export async function approve(
  parts: Parts,
  caller: Caller,
  guid: string,
  id: string,
): Promise<PendingRelease> {
  const { storage, audit, clock } = parts;
  return storage.write(async (tx) => {
    const { content, bundle } = await loadPending(tx, caller, guid, id, 'approveRelease');
    if (bundle.created_by === caller.guid)
      throw errors.operationDenied({
        message: `you uploaded bundle ${bundle.id}: somebody else approves it`,
      });
    if (!(await isNamed(tx, content.guid, caller.guid)))
      throw errors.operationDenied({
        message: `the approval rule names who approves this content: ${namesOf(await describeApprovers(tx, content))}`,
      });
    const row = { bundle_id: bundle.id, user_guid: caller.guid, created_time: clock.now() };
    const isNew = await insertApproval(tx, row);
    const standing = await standingOf(tx, content, bundle);
    const description = `Approved bundle ${bundle.id} of ${content.name} (${content.guid}): ${standing.approvals.length} of ${standing.needed}`;
    if (isNew) {
      await recordReleaseEvent(tx, parts, 'release.approved', { ...row, content_guid: content.guid });
      await audit(tx, caller, 'approve_release', description, { content: content.guid, bundle: bundle.id });
    }
    return { ...standing, bundle };
  }, aboutContent(guid));
}

/** Lets a bundle go live without approvals. @throws ApiError 4 if it is not pending */
export async function override(
  parts: Parts,
  caller: Caller,
  guid: string,
  { id, reason }: { readonly id: string; readonly reason: string },
): Promise<PendingRelease> {
  const { storage, audit } = parts;
  return storage.write(async (tx) => {
    const { content, bundle, standing } = await loadPending(tx, caller, guid, id, 'overrideRelease');
    await saveRelease(tx, { ...standing.release!, override_by: caller.guid, override_reason: reason });
    const about = { content_guid: content.guid, bundle_id: bundle.id, user_guid: caller.guid };
    await recordReleaseEvent(tx, parts, 'release.overridden', about);
    const description = `Let bundle ${bundle.id} of ${content.name} (${content.guid}) go live with ${standing.approvals.length} of ${standing.needed} approvals: ${reason}`;
    await audit(tx, caller, 'override_release', description, { content: content.guid, bundle: bundle.id });
    return { ...(await standingOf(tx, content, bundle)), bundle };
  }, aboutContent(guid));
}

async function loadPending(
  tx: Executor,
  caller: Caller,
  guid: string,
  id: string,
  action: ContentAction,
): Promise<{ content: ContentRow; bundle: BundleRow; standing: Standing }> {
  const { content } = await loadContent(tx, guid, caller, action);
  const bundle = await findBundle(tx, Number(id));
  const standing = bundle?.content_guid === content.guid ? await standingOf(tx, content, bundle) : undefined;
  if (!bundle || standing?.release?.released_time !== null)
    throw errors.notFound({ message: `bundle ${id} of this content waits for no approval` });
  return { content, bundle, standing };
}
