// Ends of a canary, each in one transaction: rolled back, made live, or replaced by another deploy. The first one wins;
// all others find it ended.
import { errors, type ApiError } from '@pressroom/api/contract';
import { SYSTEM, type Actor, type Audit } from '../audit/record.ts';
import { findContent } from '../content/store.ts';
import type { Reason } from '../events/store.ts';
import type { Config } from '../main/config/settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { Executor } from '../platform/database/storage.ts';
import { findTask } from '../tasks/store.ts';
import { recordCanaryEvent } from './canary-event.ts';
import { canaryOfTask, changeCanary, findOpenCanary, OPEN, type CanaryRow } from './store.ts';

interface Parts {
  readonly config: Config;
  readonly audit: Audit;
  readonly clock: Clock;
}

/**
 * All new visitors get the live bundle. The draft stays, and its open sessions with it.
 * @param actor who decided; null for the server
 * @returns false if it had ended already
 */
export async function rollBackCanary(
  tx: Executor,
  parts: Parts,
  canary: CanaryRow,
  { actor, reason }: { readonly actor: Actor | null; readonly reason: Reason },
): Promise<boolean> {
  const { audit, clock } = parts;
  const decided = { decided_time: clock.now(), decided_by: actor?.guid ?? null, reason: reason.text };
  if (!(await changeCanary(tx, canary.id, OPEN, { state: 'back', ...decided }))) return false;
  await recordCanaryEvent(tx, parts, 'back', canary, { actor: actor?.guid ?? null, reason });
  const what = `The canary of bundle ${canary.bundle_id} was rolled back`;
  await record(tx, audit, actor, canary, what, reason.text);
  return true;
}

/** Another bundle of the content goes live or becomes the canary. @param by who deployed that one */
export async function replaceCanary(
  tx: Executor,
  parts: Parts,
  canary: CanaryRow,
  { by, reason }: { readonly by: string | null; readonly reason: Reason },
): Promise<void> {
  const { audit, clock } = parts;
  const changes = {
    state: 'replaced',
    decided_time: clock.now(),
    decided_by: by,
    reason: reason.text,
  } as const;
  if (!(await changeCanary(tx, canary.id, OPEN, changes))) return;
  await recordCanaryEvent(tx, parts, 'replaced', canary, { actor: by, reason });
  await record(tx, audit, null, canary, `The canary of bundle ${canary.bundle_id} is replaced`, reason.text);
}

/**
 * To be called in the transaction that makes a bundle live: its own canary has passed, the canary of another bundle is
 * replaced.
 * @throws ApiError 100 if the task was to finish a canary that has ended meanwhile
 */
export async function endCanaryOnDeploy(
  tx: Executor,
  parts: Parts,
  deploy: { readonly contentGuid: string; readonly bundleId: number; readonly taskId: string },
): Promise<void> {
  const finishes = await canaryOfTask(tx, 'finish_task', deploy.taskId);
  if (finishes && finishes.state !== 'finishing') throw hasEnded(finishes);
  const canary = await findOpenCanary(tx, deploy.contentGuid);
  if (!canary) return;
  const deployer = (await findTask(tx, deploy.taskId))?.user_guid ?? null;
  if (canary.bundle_id !== deploy.bundleId) {
    const reason = { code: 'other_live', text: `bundle ${deploy.bundleId} went live` } as const;
    await replaceCanary(tx, parts, canary, { by: deployer, reason });
    return;
  }
  const reason = finishes ? canary.reason : 'it was deployed';
  const decided_by = finishes ? canary.decided_by : deployer;
  const changes = { state: 'live', decided_time: parts.clock.now(), decided_by, reason } as const;
  await changeCanary(tx, canary.id, OPEN, changes);
  await recordCanaryEvent(tx, parts, 'live', canary, {
    actor: decided_by,
    reason: reason === null ? null : { text: reason },
  });
  await record(tx, parts.audit, null, canary, `The canary of bundle ${canary.bundle_id} is live`, reason);
}

export function hasEnded({ bundle_id, reason, state }: CanaryRow): ApiError {
  return errors.itemBusy({
    message: `the canary of bundle ${bundle_id} has ended: ${reason ?? state}`,
  });
}

async function record(
  tx: Executor,
  audit: Audit,
  actor: Actor | null,
  { content_guid, bundle_id }: CanaryRow,
  what: string,
  reason: string | null,
): Promise<void> {
  const content = await findContent(tx, content_guid);
  const why = reason === null ? '' : `: ${reason}`;
  const description = `${what}${why}. Content ${content?.name ?? ''} (${content_guid})`;
  await audit(tx, actor ?? SYSTEM, 'end_canary', description, { content: content_guid, bundle: bundle_id });
}
