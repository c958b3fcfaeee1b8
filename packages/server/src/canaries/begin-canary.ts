// How a bundle becomes a canary: requested with a deploy, started once the bundle is ready.
import { errors } from '@pressroom/api/contract';
import { SYSTEM, type Audit } from '../audit/record.ts';
import type { BundleRow } from '../bundles/store.ts';
import { storedManifest } from '../bundles/stored-manifest.ts';
import { findContent, type ContentRow } from '../content/store.ts';
import { notApproved, standingOf } from '../deploys/approvals/approvals.ts';
import { keepDraftsOfCanaries } from '../deploys/drafts/store.ts';
import { findBlocker } from '../deploys/lock/deploy-blockers.ts';
import type { Config } from '../main/config/settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { Executor } from '../platform/database/storage.ts';
import { findEngine } from '../runtime/kinds/index.ts';
import { recordCanaryEvent } from './canary-event.ts';
import { replaceCanary } from './end-canary.ts';
import {
  canaryOfTask,
  changeCanary,
  findCanaryRule,
  findOpenCanary,
  insertCanary,
  type CanaryRow,
} from './store.ts';

export type CanaryLimits = Pick<
  CanaryRow,
  'share' | 'length' | 'error_limit' | 'slow_limit' | 'health_path' | 'waits'
>;

/** Used if neither the deploy nor a rule sets others. */
export const DEFAULT_LIMITS: CanaryLimits = {
  share: 5,
  length: 1800,
  error_limit: 2,
  slow_limit: 100,
  health_path: null,
  waits: 0,
};

/** Options of a deploy: another share, another length, or a share of 0 for no canary. */
export interface CanaryRequest {
  readonly share: number;
  /** Seconds. */
  readonly length?: number;
}

/**
 * The limits of the canary that a deploy starts; null if it goes live at once: there is no live bundle to compare with,
 * it was live before, it is a canary already, or neither the deploy nor a rule requests one.
 * @throws ApiError 39 if a canary is requested for content without processes
 */
export async function limitsFor(
  tx: Executor,
  content: ContentRow,
  bundle: BundleRow,
  request: CanaryRequest | null,
): Promise<CanaryLimits | null> {
  const rule = await findCanaryRule(tx, content.guid);
  const isAsked = request !== null && request.share > 0;
  if (!isAsked && (request !== null || !rule || bundle.deployed_time !== null)) return null;
  if (!hasProcesses(bundle)) {
    if (!isAsked) return null;
    throw errors.actionNotSupported({ message: 'only applications and APIs have canaries' });
  }
  // Deploying the canary's bundle makes it live.
  if (!isAsked && (await findOpenCanary(tx, content.guid))?.bundle_id === bundle.id) return null;
  if (content.bundle_id === bundle.id) {
    if (!isAsked) return null;
    throw errors.actionNotSupported({ message: `bundle ${bundle.id} is live already` });
  }
  if (content.launch === null) return null;
  const { share, length, error_limit, slow_limit, health_path, waits } = rule ?? DEFAULT_LIMITS;
  return {
    share: request?.share ?? share,
    length: request?.length ?? length,
    error_limit,
    slow_limit,
    health_path,
    waits,
  };
}

function hasProcesses({ manifest }: BundleRow): boolean {
  return findEngine(storedManifest(manifest).appmode).kind === 'application';
}

/** To be called in the transaction that creates the task. */
export async function reserveCanary(
  tx: Executor,
  { clock }: { readonly clock: Clock },
  subject: {
    readonly content: ContentRow;
    readonly bundle: BundleRow;
    readonly taskId: string;
    readonly user: string;
  },
  limits: CanaryLimits,
): Promise<void> {
  await insertCanary(tx, {
    ...limits,
    content_guid: subject.content.guid,
    bundle_id: subject.bundle.id,
    live_bundle: subject.content.bundle_id ?? 0,
    task_id: subject.taskId,
    finish_task: null,
    user_guid: subject.user,
    state: 'preparing',
    created_time: clock.now(),
    started_time: null,
    decided_time: null,
    decided_by: null,
    reason: null,
  });
}

/**
 * To be called in the transaction that ends the task, after its draft is stored. Replaces another canary of the
 * content.
 * @returns whether the task was for a canary
 * @throws ApiError 22 if approvals or the rights of its deployer are gone or deploys are locked, 39 if nothing is live
 * any more
 */
export async function beginCanary(
  tx: Executor,
  parts: { readonly config: Config; readonly audit: Audit; readonly clock: Clock },
  taskId: string,
  bundle: BundleRow,
): Promise<boolean> {
  const { audit, clock } = parts;
  const canary = await canaryOfTask(tx, 'task_id', taskId);
  if (canary?.state !== 'preparing') return false;
  const content = await findContent(tx, bundle.content_guid);
  if (!content) throw errors.notFound();
  if (content.launch === null || content.bundle_id === null)
    throw errors.actionNotSupported({ message: 'nothing is live that a canary could be compared with' });
  // Visitors of the content see it: it needs the same rights as going live.
  const standing = await standingOf(tx, content, bundle);
  if (!standing.mayGoLive) throw notApproved(bundle, standing);
  const blocked = await findBlocker(tx, clock, content, canary.user_guid);
  if (blocked !== null)
    throw errors.operationDenied({ message: `the canary does not begin: ${blocked.text}` });
  const before = await findOpenCanary(tx, content.guid);
  const reason = { code: 'other_canary', text: `bundle ${bundle.id} is a canary now` } as const;
  if (before) await replaceCanary(tx, parts, before, { by: canary.user_guid, reason });
  const started = { state: 'running', started_time: clock.now(), live_bundle: content.bundle_id } as const;
  await changeCanary(tx, canary.id, ['preparing'], started);
  await keepDraftsOfCanaries(tx, clock.now(), content.guid);
  await recordCanaryEvent(tx, parts, 'started', canary, { actor: null, reason: null });
  const description = `Bundle ${bundle.id} of ${content.name} (${content.guid}) takes ${canary.share} % of new sessions for ${canary.length} seconds`;
  await audit(tx, SYSTEM, 'start_canary', description, {
    content: content.guid,
    bundle: bundle.id,
    task: taskId,
  });
  return true;
}
