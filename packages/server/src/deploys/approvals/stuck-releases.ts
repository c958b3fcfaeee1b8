// Detects bundles that wait for approvals they cannot get: approvers were locked, groups emptied or deleted, rights
// removed.
import type { Logger } from 'pino';
import { SYSTEM, type Audit } from '../../audit/record.ts';
import { findBundle } from '../../bundles/store.ts';
import { aboutContent, findContent } from '../../content/store.ts';
import { recordReleaseEvent } from '../../events/release-event.ts';
import type { Config } from '../../main/config/settings.ts';
import { mailEach } from '../../people/notify-people.ts';
import { findUser } from '../../people/store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import type { Mailer } from '../../platform/mailer.ts';
import { standingOf } from './approvals.ts';
import { describeApprovers, namesOf } from './approvers.ts';
import { everyPendingRelease, findRelease, noteStuck } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly config: Config;
  readonly mailer: Mailer | null;
  readonly log: Logger;
}

interface Stuck {
  readonly owner: string;
  readonly text: string;
}

/**
 * Informs the owner, the audit log and event receivers, once each time it happens. Checks the state rather than each
 * possible cause. Returns the number of bundles.
 */
export async function announceStuckReleases(parts: Parts): Promise<number> {
  const { storage } = parts;
  let told = 0;
  for (const { bundle_id, content_guid } of await everyPendingRelease(storage.db)) {
    if (!(await hasChanged(storage.db, bundle_id))) continue;
    const stuck = await storage.write((tx) => look(parts, tx, bundle_id), aboutContent(content_guid));
    if (stuck === null) continue;
    told += 1;
    const owner = await findUser(storage.db, stuck.owner);
    if (!owner) continue;
    await mailEach(parts, [owner], 'A bundle that waits for approval cannot get it', `${stuck.text}\n`);
  }
  return told;
}

async function hasChanged(db: Executor, bundleId: number): Promise<boolean> {
  const known = await standing(db, bundleId);
  return known !== null && known.isStuck !== (known.release.stuck_time !== null);
}

/** Null if there is nothing to announce, or another server did meanwhile. */
async function look(parts: Parts, tx: Executor, bundleId: number): Promise<Stuck | null> {
  const { audit, clock } = parts;
  const known = await standing(tx, bundleId);
  if (known === null || known.isStuck === (known.release.stuck_time !== null)) return null;
  await noteStuck(tx, bundleId, known.isStuck ? clock.now() : null);
  if (!known.isStuck) return null;
  const { content, needed } = known;
  const approvers = await describeApprovers(tx, content);
  const by = approvers.length === 0 ? 'collaborators' : namesOf(approvers);
  const text = `Bundle ${bundleId} of ${content.name} (${content.guid}) needs ${needed} approvals by ${by}, and fewer people may approve it: the owner or an administrator changes the approval rule, or overrides it`;
  const about = { content_guid: content.guid, bundle_id: bundleId, user_guid: content.owner_guid };
  await recordReleaseEvent(tx, parts, 'release.stuck', about);
  await audit(tx, SYSTEM, 'release_stuck', text, { content: content.guid, bundle: bundleId });
  return { owner: content.owner_guid, text };
}

async function standing(db: Executor, bundleId: number) {
  const [bundle, release] = [await findBundle(db, bundleId), await findRelease(db, bundleId)];
  const content = bundle && (await findContent(db, bundle.content_guid));
  if (!bundle || !content || release?.released_time !== null) return null;
  return { ...(await standingOf(db, content, bundle)), content, release };
}
