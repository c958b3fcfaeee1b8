// Makes a canary live: deploys its bundle from the draft that visitors have used so far.
import { SYSTEM, type Actor, type Audit } from '../audit/record.ts';
import { findBundle, type BundleRow } from '../bundles/store.ts';
import { findContent } from '../content/store.ts';
import { standingOf } from '../deploys/approvals/approvals.ts';
import { findBlocker } from '../deploys/lock/deploy-blockers.ts';
import type { Reason } from '../events/store.ts';
import type { Config } from '../main/config/settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { Executor } from '../platform/database/storage.ts';
import type { TaskService } from '../tasks/task-service.ts';
import { changeCanary, type CanaryRow } from './store.ts';

interface Parts {
  readonly config: Config;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly tasks: TaskService;
}

/** Why it cannot go live automatically now, worded for its owner; null if nothing blocks it. */
export async function findCanaryBlocker(
  tx: Executor,
  clock: Clock,
  canary: CanaryRow,
): Promise<Reason | null> {
  const content = await findContent(tx, canary.content_guid);
  const bundle = await findBundle(tx, canary.bundle_id);
  if (!content || !bundle) return { code: 'bundle_deleted', text: 'its bundle is gone' };
  if (!(await standingOf(tx, content, bundle)).mayGoLive)
    return { code: 'approvals_missing', text: 'it lacks approvals' };
  return findBlocker(tx, clock, content, canary.user_guid);
}

/**
 * Returns the task that makes it live; null if it has ended or another task does.
 * @param actor who decided; null for the server
 */
export async function startFinishing(
  tx: Executor,
  { audit, clock, tasks }: Parts,
  canary: CanaryRow,
  actor: Actor | null,
): Promise<{ taskId: string; bundle: BundleRow } | null> {
  const bundle = await findBundle(tx, canary.bundle_id);
  if (!bundle) return null;
  const taskId = await tasks.create(tx, {
    kind: 'deploy',
    content_guid: canary.content_guid,
    bundle_id: bundle.id,
    user_guid: actor?.guid ?? canary.user_guid,
  });
  const changes = {
    state: 'finishing',
    finish_task: taskId,
    decided_by: actor?.guid ?? null,
    decided_time: clock.now(),
    reason: actor === null ? 'nothing spoke against it' : `${actor.username} made it live`,
  } as const;
  // Rolls the task back: nobody would run it, and it would stay open.
  if (!(await changeCanary(tx, canary.id, ['running', 'waiting'], changes)))
    throw new Error('the canary was changed in a transaction of its own');
  const description = `Making bundle ${bundle.id} live after its canary, task ${taskId}`;
  await audit(tx, actor ?? SYSTEM, 'finish_canary', `${description}. Content ${canary.content_guid}`, {
    content: canary.content_guid,
    bundle: bundle.id,
    task: taskId,
  });
  return { taskId, bundle };
}
