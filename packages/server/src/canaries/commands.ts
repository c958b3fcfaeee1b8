// Commands on canaries: the rule for new bundles, the figures, and an early end.
import { ApiError, engineOf, errors } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import { findBundle, type BundleRow } from '../bundles/store.ts';
import { loadContent } from '../content/commands.ts';
import { aboutContent, type ContentRow } from '../content/store.ts';
import { askForRelease, notApproved, standingOf } from '../deploys/approvals/approvals.ts';
import { findDeployLock } from '../deploys/lock/store.ts';
import type { Reason } from '../events/store.ts';
import type { Config } from '../main/config/settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import type { TaskService } from '../tasks/task-service.ts';
import { DEFAULT_LIMITS, type CanaryLimits } from './begin-canary.ts';
import { hasEnded, rollBackCanary } from './end-canary.ts';
import { type Figures, figuresOf } from './figures.ts';
import { startFinishing } from './finish-canary.ts';
import {
  canaryOfTask,
  findCanary,
  findCanaryRule,
  findOpenCanary,
  newestCanary,
  OPEN,
  removeCanaryRule,
  saveCanaryRule,
  type CanaryRow,
  type CanaryRuleRow,
  type CanarySide,
} from './store.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly tasks: TaskService;
  readonly contentChanged: (guid: string) => void;
}

/** @throws ApiError 4 if new bundles go live at once */
export async function readCanaryRule(
  { storage }: Pick<Parts, 'storage'>,
  caller: Caller,
  guid: string,
): Promise<CanaryRuleRow> {
  const { content } = await loadContent(storage.db, guid, caller, 'readJobs');
  const rule = await findCanaryRule(storage.db, content.guid);
  if (!rule) throw errors.notFound({ message: 'new bundles of this content go live at once' });
  return rule;
}

/** Keeps what is not given. @throws ApiError 39 for settings that have no effect on content of this type */
export async function setRule(
  { storage, audit, clock }: Pick<Parts, 'storage' | 'audit' | 'clock'>,
  caller: Caller,
  guid: string,
  wanted: Partial<CanaryLimits & Pick<CanaryRuleRow, 'shrink_limit'>>,
): Promise<CanaryRuleRow> {
  return storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'deployContent');
    const before = await findCanaryRule(tx, content.guid);
    refuseWithoutEffect(content, before, wanted);
    const row = {
      ...DEFAULT_LIMITS,
      shrink_limit: null,
      ...before,
      ...wanted,
      content_guid: content.guid,
      user_guid: caller.guid,
      created_time: clock.now(),
    };
    await saveCanaryRule(tx, row);
    await audit(tx, caller, 'edit_canary_rule', describeRule(content, row), { content: content.guid });
    return row;
  }, aboutContent(guid));
}

/** For the audit log: only what has an effect on content of this type. */
function describeRule(
  { name, guid, app_mode, kind }: ContentRow,
  { share, length, shrink_limit }: CanaryRuleRow,
): string {
  const engine = engineOf(kind ?? app_mode);
  const parts = [
    engine !== 'document' &&
      `New bundles take ${share} % of new sessions for ${length} seconds before they go live`,
    shrink_limit !== null && `Renderings that lack more than ${shrink_limit} % of text or pictures are held`,
  ].filter((part) => part !== false);
  return `Rule of ${name} (${guid}): ${parts.join('; ') || 'renderings are not held'}`;
}

/**
 * Values sent back as they were read change nothing; content that was never deployed has no type yet.
 * @throws ApiError 39
 */
function refuseWithoutEffect(
  { app_mode, kind }: ContentRow,
  before: CanaryRuleRow | undefined,
  { shrink_limit, ...limits }: Partial<CanaryLimits & Pick<CanaryRuleRow, 'shrink_limit'>>,
): void {
  const engine = engineOf(kind ?? app_mode);
  if (engine === undefined) return;
  const [first] =
    Object.entries(limits).find(([name, value]) => value !== before?.[name as keyof CanaryLimits]) ?? [];
  if (first !== undefined && engine !== 'application')
    throw errors.actionNotSupported({
      message: `${first} is for applications and APIs: only they have canaries`,
    });
  const isNew = shrink_limit != null && shrink_limit !== before?.shrink_limit;
  if (isNew && engine !== 'document')
    throw errors.actionNotSupported({ message: 'shrink_limit is for documents: only they are rendered' });
}

/** No rule to remove: nothing to do. */
export async function removeRule(
  { storage, audit }: Pick<Parts, 'storage' | 'audit'>,
  caller: Caller,
  guid: string,
): Promise<void> {
  await storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'deployContent');
    if (!(await removeCanaryRule(tx, content.guid))) return;
    const description = `New bundles of ${content.name} (${content.guid}) go live at once`;
    await audit(tx, caller, 'remove_canary_rule', description, { content: content.guid });
  }, aboutContent(guid));
}

export interface ReadCanary {
  readonly row: CanaryRow;
  readonly figures: Record<CanarySide, Figures>;
}

/** The current canary, or the last one. @throws ApiError 4 if there was none */
export async function readCanary(
  { storage: { db } }: Pick<Parts, 'storage'>,
  caller: Caller,
  guid: string,
): Promise<ReadCanary> {
  const { content } = await loadContent(db, guid, caller, 'readJobs');
  const row = await newestCanary(db, content.guid);
  if (!row) throw noCanary();
  return { row, figures: await figuresOf(db, row.id) };
}

/**
 * Returns the task, to be run after the commit, or the task of a faster caller.
 * @param canaryTask that got the canary ready; null for whichever takes visitors
 * @throws ApiError 4 if there is none, 22 while deploys are locked or approvals are missing, which are requested then,
 * 100 if it has ended
 */
export async function finishNow(
  parts: Omit<Parts, 'contentChanged'>,
  caller: Caller,
  guid: string,
  canaryTask: string | null,
): Promise<{ taskId: string; bundle: BundleRow | null }> {
  const { storage, clock } = parts;
  const started = await storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'deployContent');
    const canary = await canaryToDecide(tx, content.guid, canaryTask);
    const bundle = await findBundle(tx, canary.bundle_id);
    if (!bundle) throw noCanary();
    if (canary.finish_task !== null) return { taskId: canary.finish_task, bundle: null };
    const lock = await findDeployLock(tx, content.guid, clock.now());
    if (lock) throw errors.operationDenied({ message: `deploys of this content are locked: ${lock.reason}` });
    const standing = await standingOf(tx, content, bundle);
    if (!standing.mayGoLive) {
      await askForRelease(tx, parts, caller, content, bundle);
      return notApproved(bundle, standing);
    }
    return startFinishing(tx, parts, canary, caller);
  }, aboutContent(guid));
  // The request for approvals is kept although the promotion is refused.
  if (started instanceof ApiError) throw started;
  if (!started) throw noCanary();
  return started;
}

/**
 * @param task that got the canary ready; null for whichever takes visitors
 * @throws ApiError 4 if no canary takes visitors, 100 if it has ended
 */
export async function rollBackNow(
  parts: Omit<Parts, 'tasks'>,
  caller: Caller,
  guid: string,
  { task, reason }: { readonly task: string | null; readonly reason: string | null },
): Promise<ReadCanary> {
  const { storage, contentChanged } = parts;
  const row = await storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'deployContent');
    const canary = await canaryToDecide(tx, content.guid, task);
    const why: Reason = {
      code: 'rolled_back',
      text: `${caller.username} rolled back${reason === null ? '' : `: ${reason}`}`,
      ...(reason !== null && { detail: reason }),
    };
    if (!(await rollBackCanary(tx, parts, canary, { actor: caller, reason: why }))) throw noCanary();
    return (await findCanary(tx, canary.id)) ?? canary;
  }, aboutContent(guid));
  contentChanged(row.content_guid);
  return { row, figures: await figuresOf(storage.db, row.id) };
}

/** @throws ApiError 4, 100 */
async function canaryToDecide(tx: Executor, contentGuid: string, task: string | null): Promise<CanaryRow> {
  const canary =
    task === null ? await findOpenCanary(tx, contentGuid) : await canaryOfTask(tx, 'task_id', task);
  if (canary?.content_guid !== contentGuid || canary.started_time === null) throw noCanary();
  if (!OPEN.includes(canary.state)) throw hasEnded(canary);
  return canary;
}

function noCanary() {
  return errors.notFound({ message: 'this content has no canary' });
}
