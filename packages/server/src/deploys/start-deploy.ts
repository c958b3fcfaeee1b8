// Starts the tasks of a content item: deploys, drafts and renders.
import { ApiError, errors } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import { appModeOf } from '../bundles/archive/index.ts';
import { findBundle, type BundleRow } from '../bundles/store.ts';
import { storedManifest } from '../bundles/stored-manifest.ts';
import { limitsFor, reserveCanary, type CanaryRequest } from '../canaries/begin-canary.ts';
import { hasEnded } from '../canaries/end-canary.ts';
import { canaryOfTask, OPEN } from '../canaries/store.ts';
import { loadContent, requireRight } from '../content/commands.ts';
import { actsForContent } from '../content/content-key-rights.ts';
import { checkImmutable } from '../content/rules.ts';
import { aboutContent, findContentToDeploy, type ContentRow } from '../content/store.ts';
import { requireGit } from '../git/require-git.ts';
import { findRepository } from '../git/store.ts';
import type { Config } from '../main/config/settings.ts';
import { findUser } from '../people/store.ts';
import { toTimestamp, type Clock } from '../platform/clock.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { openTasksOf, type TaskRow } from '../tasks/store.ts';
import type { TaskService } from '../tasks/task-service.ts';
import { askForRelease, notApproved, standingOf } from './approvals/approvals.ts';
import type { DeployService } from './deploy-service.ts';
import { requireDraft } from './drafts/drafts.ts';
import { requireInactive } from './drafts/keep-draft.ts';
import { findDraft, markReviewed } from './drafts/store.ts';
import { findDeployLock, type NamedDeployLock } from './lock/store.ts';

/** Dependencies of starting a task of a content item. */
export interface StartParts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly tasks: TaskService;
  readonly deploys: DeployService;
}

export interface DeployRequest {
  readonly bundle_id: string | null;
  /** False: creates a draft, and the active bundle stays live. */
  readonly activate: boolean;
  /** The preview that gets the draft. */
  readonly preview: string | null;
  /** The share of new sessions before it goes live; null: as the content's rule says. */
  readonly canary?: CanaryRequest | null;
  /** Of the draft or canary that goes live; null for whatever the bundle has. */
  readonly draftTask?: string | null;
}

/**
 * Starts a deploy: of the given bundle, else the active one, else the newest (interop.md); a draft without a given
 * bundle is of the newest. A deploy lock applies only to deploys that go live. While somebody makes a bundle
 * live, nobody else does.
 * @param newestCommit used instead for content of a repository; null: no commit is wanted
 * @throws ApiError 22 while deploys are locked, or if the content's rule requires more approvals, 25 for a preview that
 * is to be active, 28, 39 for a draft of the active bundle, 48, 82, 100 while somebody else makes the bundle live, or if
 * the given draft has ended, 110, 111, 142, 145
 */
export async function startDeploy(
  parts: StartParts,
  caller: Caller,
  guid: string,
  { bundle_id: bundleId, activate, preview, canary = null, draftTask = null }: DeployRequest,
  newestCommit: (() => Promise<string>) | null = null,
): Promise<string> {
  const { storage, clock, tasks, deploys, audit, config } = parts;
  if (activate && preview !== null)
    throw errors.invalidParameter({ message: 'a preview is a draft: it requires activate to be false' });
  if (activate && caller.pipeline?.draftsOnly === true)
    throw errors.operationDenied({ message: 'this pipeline deploys drafts and previews only' });
  if (!activate && canary !== null)
    throw errors.invalidParameter({ message: 'a draft has no visitors to share: canary requires activate' });
  const started = await storage.write(async (tx) => {
    const wanted = { bundleId: bundleId === null ? null : Number(bundleId), isActive: activate };
    const found = await findContentToDeploy(tx, guid, wanted);
    const { content } = await requireRight(tx, found?.content, caller, 'deployContent');
    // A draft has the key of the content, whoever pushed it.
    if (activate && content.has_draft_pipelines && isOwnCode(content, caller))
      throw errors.operationDenied({
        message: 'this content does not make itself live: a pipeline that may not do so deploys drafts of it',
      });
    if (content.git_managed && newestCommit && (await findRepository(tx, content.guid))) return newestCommit;
    if (content.git_managed) requireGit(config);
    const lock =
      activate && content.has_lock ? await findDeployLock(tx, content.guid, clock.now()) : undefined;
    if (lock) throw errors.operationDenied({ message: lockedText(lock) });
    const chosen = requireBundle(content, found?.bundle, bundleId);
    if (!activate) requireInactive(content, chosen.id);
    if (draftTask !== null) {
      await requireDecided(tx, chosen, draftTask);
      if (activate) await markReviewed(tx, chosen.id);
    }
    const { appmode, ...manifest } = storedManifest(chosen.manifest);
    checkImmutable(content, { ...manifest, app_mode: appModeOf(appmode) });
    // No approvals are needed without a rule.
    if (activate && content.has_approvals) {
      const standing = await standingOf(tx, content, chosen);
      if (!standing.mayGoLive) {
        await askForRelease(tx, parts, caller, content, chosen);
        return notApproved(chosen, standing);
      }
    }
    const mayBeCanary = activate && (canary !== null || content.has_canaries);
    const limits = mayBeCanary ? await limitsFor(tx, content, chosen, canary) : null;
    // A canary runs from a draft until it ends.
    const kind = activate && limits === null ? 'deploy' : 'draft';
    const underWay = activate ? await goingLive(tx, content, chosen, kind) : undefined;
    if (underWay && underWay.user_guid !== caller.guid) throw await isGoingLive(tx, underWay);
    const subject = {
      kind,
      content_guid: content.guid,
      bundle_id: chosen.id,
      user_guid: caller.guid,
      ...(preview !== null && { preview }),
    } as const;
    const taskId = await tasks.create(tx, subject);
    if (limits)
      await reserveCanary(tx, parts, { content, bundle: chosen, taskId, user: caller.guid }, limits);
    const what = limits
      ? ` as a canary with ${limits.share} %`
      : activate
        ? ''
        : preview === null
          ? ' as a draft'
          : ` as preview ${preview}`;
    const description = `Deploying bundle ${chosen.id} of content ${content.name} (${content.guid})${what}, task ${taskId}`;
    await audit(tx, caller, activate ? 'deploy_application' : 'deploy_draft', description, {
      content: content.guid,
      bundle: chosen.id,
      task: taskId,
    });
    return { id: taskId, bundle: chosen, kind } as const;
  }, aboutContent(guid));
  if (typeof started === 'function') return started();
  // The request for approvals is kept although the deploy is refused.
  if (started instanceof ApiError) throw started;
  void deploys.run(started.id, started.bundle, started.kind, preview);
  return started.id;
}

/**
 * What somebody decides on: the canary or the draft of the bundle that this task got ready, and nothing that is on its
 * way to replace it.
 * @throws ApiError 100
 */
async function requireDecided(tx: Executor, { id, content_guid }: BundleRow, task: string): Promise<void> {
  const canary = await canaryOfTask(tx, 'task_id', task);
  if (canary && !OPEN.includes(canary.state)) throw hasEnded(canary);
  requireDraft(await findDraft(tx, id), id, task);
  for (const open of await openTasksOf(tx, content_guid))
    if (open.bundle_id === id && open.kind !== 'deploy' && open.variant_key === null)
      throw errors.itemBusy({
        message: `bundle ${id} is being rendered or deployed again, in task ${open.id}`,
      });
}

/** The task that is making an inactive bundle live, or its canary. */
async function goingLive(
  tx: Executor,
  { guid, bundle_id: active }: ContentRow,
  { id }: BundleRow,
  kind: 'deploy' | 'draft',
): Promise<TaskRow | undefined> {
  if (id === active) return undefined;
  for (const task of await openTasksOf(tx, guid)) {
    if (task.bundle_id !== id || task.kind !== kind) continue;
    if (kind === 'deploy' || (await canaryOfTask(tx, 'task_id', task.id))) return task;
  }
  return undefined;
}

async function isGoingLive(tx: Executor, { id, bundle_id, user_guid }: TaskRow): Promise<ApiError> {
  const by = (await findUser(tx, user_guid))?.username ?? null;
  return errors.itemBusy({
    message: `${by ?? 'A deleted user'} is already making bundle ${bundle_id} live, in task ${id}`,
    payload: { task_id: id, by },
  });
}

export function lockedText({ reason, until, username }: NamedDeployLock): string {
  const end = until === null ? '' : ` until ${toTimestamp(until)}`;
  return `${username ?? 'A deleted user'} locked deploys of this content${end}: ${reason}`;
}

/** Whether code of the content acts, with its own key or that of a visitor. */
function isOwnCode({ guid }: ContentRow, caller: Caller): boolean {
  return actsForContent(caller) && (caller.visits ?? caller.content_guid) === guid;
}

function requireBundle(
  { guid }: ContentRow,
  bundle: BundleRow | undefined,
  bundleId: string | null,
): BundleRow {
  if (bundle && bundle.content_guid !== guid) throw errors.bundleOfOtherContent();
  if (bundle) return bundle;
  if (bundleId !== null) throw errors.notFound({ message: `there is no bundle ${bundleId}` });
  throw errors.noBundleToDeploy();
}

/** Renders the active bundle again. @throws ApiError 28 without one, 39 for content that is not rendered. */
export async function startRender(
  parts: Pick<StartParts, 'storage' | 'audit' | 'tasks' | 'deploys'>,
  caller: Caller,
  guid: string,
): Promise<string> {
  const { storage, audit } = parts;
  const { id, bundle } = await storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'renderContent');
    const created = await createRender(parts, tx, content, caller.guid);
    const description = `Rendering content ${content.name} (${content.guid}), task ${created.id}`;
    await audit(tx, caller, 'render_application', description, {
      content: content.guid,
      bundle: created.bundle.id,
      task: created.id,
    });
    return created;
  }, aboutContent(guid));
  void parts.deploys.run(id, bundle, 'render');
  return id;
}

/** Creates the task that renders the active bundle; `DeployService.run` runs it after the commit. */
export async function createRender(
  { tasks }: Pick<StartParts, 'tasks'>,
  tx: Executor,
  content: ContentRow,
  userGuid: string,
  { mails = false } = {},
): Promise<{ id: string; bundle: BundleRow }> {
  const bundle = content.bundle_id === null ? undefined : await findBundle(tx, content.bundle_id);
  if (!bundle) throw errors.noBundleToDeploy();
  requireDocument(content);
  const subject = {
    kind: 'render',
    content_guid: content.guid,
    bundle_id: bundle.id,
    user_guid: userGuid,
    ...(mails && { mails: 1 as const }),
  } as const;
  return { id: await tasks.create(tx, subject), bundle };
}

/** @throws ApiError 39 */
export function requireDocument({ rendering_id }: ContentRow): void {
  if (rendering_id === null) throw errors.actionNotSupported({ message: 'only documents can be rendered' });
}
