// One deploy, draft or rendering of a bundle: its site is built and goes live or is kept, and what is left over is
// removed.
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import type { BundleRow } from '../bundles/store.ts';
import { beginCanary } from '../canaries/begin-canary.ts';
import { canaryOfTask } from '../canaries/store.ts';
import { aboutContent, findContent } from '../content/store.ts';
import type { Config } from '../main/config/settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import type { Applications } from '../runtime/applications.ts';
import { retryOutages } from '../tasks/retry-outages.ts';
import type { Completion, TaskContext } from '../tasks/run-task.ts';
import { findTask } from '../tasks/store.ts';
import type { TaskService } from '../tasks/task-service.ts';
import { activate } from './activate.ts';
import { findUsableDraft, keepDraft, preparedOf, requireInactive } from './drafts/keep-draft.ts';
import { findDraft, type DraftRow } from './drafts/store.ts';
import type { Prepared } from './pipeline.ts';
import { hold, mayBeHeld, shrinkOf } from './renderings/hold-rendering.ts';
import type { SiteBuilder } from './sites/build-site.ts';
import type { OpenDeployed } from './sites/open-deployed.ts';
import { siteOf, type SiteDirectories } from './sites/site-directories.ts';
import type { UnpackedSites } from './sites/unpacked-sites.ts';

export type DeployKind = 'deploy' | 'draft' | 'render';

export interface DeployRequest {
  readonly taskId: string;
  readonly guid: string;
  /** Called when it is the content's turn; null: nothing to deploy. */
  readonly obtain: (context: TaskContext) => Promise<BundleRow | null>;
  readonly kind: DeployKind;
  /** The preview that gets the draft. */
  readonly preview: string | null;
}

export interface RunParts {
  readonly db: Executor;
  readonly storage: Storage;
  readonly config: Config;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly tasks: TaskService;
  readonly applications: Applications;
  readonly directories: SiteDirectories;
  readonly builder: SiteBuilder;
  readonly openDeployed: OpenDeployed | null;
  readonly sites: UnpackedSites | null;
  /** Seconds that a draft is kept. */
  readonly draftRetention: number;
  readonly contentChanged: (guid: string) => void;
  /** Called after a deploy or a rendering went live on this server. */
  readonly wentLive: (guid: string) => void;
  /** Called after another bundle became active. */
  readonly deployed: (guid: string) => void;
}

/** What a run has come to: read at its end, however it ends. */
interface Progress {
  bundle: BundleRow | null;
  /** The finished draft that it takes over. */
  draft?: DraftRow;
  prepared?: Prepared;
  /** The site that was live before. */
  before: string | null;
  /** The publisher's own rendering and the site that was live before; null if not shown. */
  local: { readonly site: string; readonly before: string | null } | null;
  /** Directories of drafts that are no longer needed. */
  left: readonly string[];
}

/** Returns a function that runs a task; it throws if the database does not respond at the end. */
export function createDeployRunner(parts: RunParts): (request: DeployRequest) => Promise<void> {
  const { db, storage, clock, tasks, applications, directories, builder, openDeployed, sites } = parts;
  const siteDirectory = directories.at;

  async function run(request: DeployRequest): Promise<void> {
    using reserved = new DisposableStack();
    const progress: Progress = { bundle: null, before: null, local: null, left: [] };
    await tasks.run(
      request.taskId,
      async (context): Promise<Completion> => {
        const bundle = await request.obtain(context);
        if (bundle === null) return async () => undefined;
        progress.bundle = bundle;
        const site = siteOf({ bundle_id: bundle.id, id: request.taskId, attempt: context.attempt });
        reserved.use(sites?.reserve(request.guid, site));
        if (request.kind !== 'render')
          progress.draft = await retryOutages(context, () =>
            findUsableDraft(db, bundle, siteDirectory, openDeployed !== null),
          );
        const make = request.kind === 'draft' ? makeDraft : makeLive;
        return make(request, bundle, context, progress);
      },
      aboutContent(request.guid),
    );
    await tidyUp(request, progress);
  }

  async function makeDraft(
    { taskId, guid, preview }: DeployRequest,
    bundle: BundleRow,
    context: TaskContext,
    progress: Progress,
  ): Promise<Completion> {
    const { draft } = progress;
    const content = await retryOutages(context, () => findContent(db, guid));
    if (content) requireInactive(content, bundle.id);
    const prepared = draft ? preparedOf(draft) : await builder.build(taskId, bundle, context);
    progress.prepared = prepared;
    context.log(draft ? 'The draft is kept longer' : 'The draft is ready');
    const canary = await retryOutages(context, () => canaryOfTask(db, 'task_id', taskId));
    if (canary)
      context.log(
        `It takes ${canary.share} % of new sessions from now on, for ${canary.length} seconds at least`,
      );
    return async (tx) => {
      const task = await findTask(tx, taskId);
      const kept = { ...parts, retention: parts.draftRetention };
      if (task) progress.left = await keepDraft(tx, kept, task, bundle, prepared, preview);
      await beginCanary(tx, parts, taskId, bundle);
    };
  }

  async function makeLive(
    { taskId, guid, kind }: DeployRequest,
    bundle: BundleRow,
    context: TaskContext,
    progress: Progress,
  ): Promise<Completion> {
    const { draft } = progress;
    const isDeploy = kind === 'deploy';
    const activated = { taskId, bundle, parts };
    const showLocal = async (prepared: Prepared): Promise<void> => {
      const before = await storage.write(async (tx) => {
        await context.requireLease(tx);
        return activate(tx, { ...activated, prepared, isDeploy: true, now: clock.now() });
      }, aboutContent(guid));
      progress.local = { site: prepared.site, before };
      context.log('What was rendered where this was published is shown until the rendering here is done');
      parts.contentChanged(guid);
      parts.wentLive(guid);
    };
    const mayShowLocal = isDeploy && !(await retryOutages(context, () => mayBeHeld(db, guid)));
    const prepared = draft
      ? await builder.takeDraft(draft, bundle, context)
      : await builder.build(taskId, bundle, context, null, mayShowLocal ? showLocal : undefined);
    progress.prepared = prepared;
    const compared = { db, siteDirectory, openDeployed };
    const shrink = draft?.reviewed
      ? null
      : await retryOutages(context, () => shrinkOf(compared, bundle, prepared));
    if (shrink !== null) {
      const { requireLease } = context;
      progress.left = await hold({ ...parts, requireLease }, taskId, bundle, prepared, shrink);
      throw errors.operationDenied({ message: shrink.text });
    }
    context.stage('activate');
    context.log(isDeploy ? 'Activated' : 'The new rendering is shown');
    return async (tx) => {
      progress.before = await activate(tx, { ...activated, prepared, isDeploy, now: clock.now() });
    };
  }

  async function tidyUp({ guid, kind }: DeployRequest, progress: Progress): Promise<void> {
    const { bundle, draft, prepared, before, local, left } = progress;
    // The database decides, even if its last response was lost.
    const active = await findContent(db, guid).catch(() => undefined);
    const isActive = prepared !== undefined && active?.site === prepared.site;
    const site = draft?.site ?? prepared?.site;
    const isDraft = bundle !== null && !isActive && (await isDraftOf(bundle, site));
    if (isDraft && site !== undefined) applications.keepAsDraft(guid, site);
    else if (prepared && !isActive) await applications.abandon(guid, prepared.site);
    parts.contentChanged(guid);
    for (const name of left) await directories.removeOfDraft(guid, name);
    if (isActive) await directories.tidy(guid, [prepared.site, before]);
    else if (local) await directories.tidy(guid, [local.site, local.before]);
    // Throws if the database does not respond: then it may be live.
    else if (prepared && !isDraft) await directories.removeOfRefused(guid, prepared.site);
    if (isActive) parts.wentLive(guid);
    if (isActive && kind === 'deploy') parts.deployed(guid);
    void sites?.evict();
  }

  async function isDraftOf({ id }: BundleRow, site: string | undefined): Promise<boolean> {
    return site !== undefined && (await findDraft(db, id).catch(() => undefined))?.site === site;
  }

  return run;
}
