// Decides whether a bundle may go live: enough approvers other than its author approved it, and still have the right.
import { errors, type ApiError } from '@pressroom/api/contract';
import type { Audit } from '../../audit/record.ts';
import type { BundleRow } from '../../bundles/store.ts';
import { unendedCanaries } from '../../canaries/store.ts';
import { contentRole, mayAct } from '../../content/policy.ts';
import { findGrantedRole, type ContentRow } from '../../content/store.ts';
import { recordReleaseEvent } from '../../events/release-event.ts';
import type { Reason } from '../../events/store.ts';
import type { Config } from '../../main/config/settings.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database/storage.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { isNamed, readyApprovers, type ReadyApprover } from './approvers.ts';
import {
  findApprovalRule,
  findRelease,
  listApprovals,
  pendingReleases,
  removeRelease,
  saveRelease,
  type NamedApproval,
  type ReleaseRow,
} from './store.ts';

/** As many as fit into a message. */
const MAX_ASKED = 20;

interface EventParts {
  readonly config: Config;
  readonly clock: Clock;
}

export interface Standing {
  readonly release: ReleaseRow | undefined;
  /** Number required by the rule, and one more if the author is not known; 0 without a rule. */
  readonly needed: number;
  /** Valid approvals: of people who may still approve. */
  readonly approvals: readonly NamedApproval[];
  readonly mayGoLive: boolean;
  /** People who may approve but have not, the first 20; empty if it may go live. */
  readonly asked: readonly ReadyApprover[];
  /** How many may approve it, the 21 that are counted at most; 0 if it may go live. */
  readonly available: number;
  /** Too few people may approve it. */
  readonly isStuck: boolean;
}

/** By current rights, not those at the time of the approval. */
export async function standingOf(db: Executor, content: ContentRow, bundle: BundleRow): Promise<Standing> {
  const required = (await findApprovalRule(db, content.guid))?.approvals ?? 0;
  // One of those who approve may be its author.
  const needed = required > 0 && bundle.of_content === 1 ? required + 1 : required;
  const release = await findRelease(db, bundle.id);
  const approvals: NamedApproval[] = [];
  for (const approval of await listApprovals(db, bundle.id)) {
    const user = { guid: approval.user_guid, role: approval.user_role };
    const role = contentRole(content, user, await findGrantedRole(db, content.guid, user.guid));
    const counts = !approval.locked && user.guid !== bundle.created_by;
    if (counts && mayAct('approveRelease', role, user) && (await isNamed(db, content.guid, user.guid)))
      approvals.push(approval);
  }
  // A live bundle may be deployed again.
  const isLive = content.bundle_id === bundle.id;
  const isOverridden = release !== undefined && release.override_by !== null;
  const mayGoLive = isLive || isOverridden || approvals.length >= needed;
  const ready = mayGoLive ? [] : await readyApprovers(db, content, bundle.created_by);
  const asked = ready.filter(({ user_guid }) => !approvals.some((given) => given.user_guid === user_guid));
  const available = ready.length;
  const isStuck = !mayGoLive && available < needed;
  return { release, needed, approvals, mayGoLive, asked: asked.slice(0, MAX_ASKED), available, isStuck };
}

/**
 * Requests the missing approvals of a bundle. Earlier requests that are neither live yet nor canaries become void, as
 * their approvals were for something else.
 */
export async function askForRelease(
  tx: Executor,
  parts: EventParts & { readonly audit: Audit },
  caller: Caller,
  content: ContentRow,
  bundle: BundleRow,
): Promise<void> {
  const { audit, clock } = parts;
  const known = await findRelease(tx, bundle.id);
  const isAsked = known?.released_time === null;
  if (!isAsked)
    await saveRelease(tx, {
      bundle_id: bundle.id,
      content_guid: content.guid,
      user_guid: caller.guid,
      created_time: clock.now(),
      released_time: null,
      override_by: null,
      override_reason: null,
      stuck_time: null,
    });
  const voided = await removePending(tx, content, bundle.id);
  const why = { code: 'other_release', text: `bundle ${bundle.id} is to be released` } as const;
  await recordWithdrawn(tx, parts, caller, voided, why);
  const about = { content_guid: content.guid, bundle_id: bundle.id, user_guid: caller.guid };
  if (!isAsked) await recordReleaseEvent(tx, parts, 'release.asked', about);
  await auditVoid(tx, audit, caller, content, voided, why);
  if (isAsked) return;
  const description = `Asked for approval of bundle ${bundle.id} of ${content.name} (${content.guid})`;
  await audit(tx, caller, 'ask_release', description, { content: content.guid, bundle: bundle.id });
}

/** Pending releases and their approvals, except those of canaries. */
export async function voidReleases(
  tx: Executor,
  parts: EventParts & { readonly audit: Audit },
  caller: Caller,
  content: ContentRow,
  why: Reason,
): Promise<void> {
  const voided = await removePending(tx, content, null);
  await recordWithdrawn(tx, parts, caller, voided, why);
  await auditVoid(tx, parts.audit, caller, content, voided, why);
}

/** Removes and returns them, except those of canaries: visitors have these, and they wait no more. */
async function removePending(
  tx: Executor,
  { guid }: ContentRow,
  except: number | null,
): Promise<ReleaseRow[]> {
  const kept = [except, ...(await unendedCanaries(tx, guid)).map((canary) => canary.bundle_id)];
  const pending = (await pendingReleases(tx, guid)).filter(({ bundle_id }) => !kept.includes(bundle_id));
  for (const { bundle_id } of pending) await removeRelease(tx, bundle_id);
  return pending;
}

async function auditVoid(
  tx: Executor,
  audit: Audit,
  caller: Caller,
  { guid, name }: ContentRow,
  voided: readonly ReleaseRow[],
  why: Reason,
): Promise<void> {
  for (const { bundle_id } of voided) {
    const description = `The release of bundle ${bundle_id} of ${name} (${guid}) and its approvals are void: ${why.text}`;
    await audit(tx, caller, 'void_release', description, { content: guid, bundle: bundle_id });
  }
}

/** To be called in the transaction that removes them, after their rows are locked and before any audit entry. */
export async function recordWithdrawn(
  tx: Executor,
  parts: EventParts,
  { guid: user_guid }: Caller,
  releases: readonly ReleaseRow[],
  reason: Reason,
): Promise<void> {
  for (const { content_guid, bundle_id } of releases)
    await recordReleaseEvent(tx, parts, 'release.withdrawn', { content_guid, bundle_id, user_guid, reason });
}

export function notApproved(
  { id, of_content }: BundleRow,
  { needed, approvals, asked, available, isStuck }: Standing,
): ApiError {
  const left = needed - approvals.length;
  const count = left === 1 ? '1 more approval' : `${left} more approvals`;
  const who = isStuck
    ? `too few people may approve it (${available} of ${needed}). The owner or an administrator changes the approval rule, or overrides it`
    : `it can be approved by ${listed(asked)}`;
  const more = of_content === 1 ? ' (one more than usual, as content uploaded it with its API key)' : '';
  return errors.operationDenied({
    message: `bundle ${id} needs ${count} before it goes live${more}: ${who}`,
    payload: { release: String(id), approvals: approvals.length, needed, stuck: isStuck },
  });
}

/** The first few names. */
function listed(asked: readonly ReadyApprover[]): string {
  const names = asked.slice(0, 5).map(({ username }) => username);
  return `${names.join(', ')}${asked.length > names.length ? ' and others' : ''}`;
}
