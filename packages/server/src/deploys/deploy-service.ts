// Deploys, drafts and renders: one at a time per content item, a few at once; the old deploy stays live until the end.
import { errors } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import type { Audit } from '../audit/record.ts';
import { findBundle, type BundleRow } from '../bundles/store.ts';
import { beginCanary } from '../canaries/begin-canary.ts';
import { canaryOfTask } from '../canaries/store.ts';
import { aboutContent, findContent } from '../content/store.ts';
import type { Config } from '../main/config/settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import { retryOutages } from '../tasks/retry-outages.ts';
import { findTask, setTaskBundle } from '../tasks/store.ts';
import type { Completion, TaskContext, TaskService } from '../tasks/task-service.ts';
import type { Values } from '../variants/declared/check-values.ts';
import { findVariant } from '../variants/store.ts';
import { activate, DELETED } from './activate.ts';
import { findDraft, type DraftRow } from './draft-store.ts';
import { hold, mayBeHeld, shrinkOf } from './hold-rendering.ts';
import { holdVariant, shrinkOfVariant } from './hold-variant.ts';
import { keepDraft, preparedOf, requireInactive, findUsableDraft } from './keep-draft.ts';
import type { OpenDeployed } from './open-deployed.ts';
import type { Pipeline, Prepared } from './pipeline.ts';
import { createQueue } from './queue.ts';
import { showRendering } from './show-rendering.ts';
import { createSiteBuilder } from './build-site.ts';
import { createSiteDirectories, siteOf, type SiteDirectoriesOptions } from './site-directories.ts';
import type { UnpackedSites } from './unpacked-sites.ts';

export interface DeployService {
  /**
   * Runs a task that deploys a bundle, makes a draft of it, or renders it again; never rejects.
   * @param preview that gets the draft
   */
  run(taskId: string, bundle: BundleRow, kind: DeployKind, preview?: string | null): Promise<void>;
  /** Deploys the bundle that `obtain` returns when it is the content's turn; null: nothing to deploy. Never rejects. */
  runObtained(
    taskId: string,
    contentGuid: string,
    obtain: (context: TaskContext) => Promise<BundleRow | null>,
  ): Promise<void>;
  /** Runs a task that renders a variant; never rejects. */
  runVariant(taskId: string, bundle: BundleRow, key: string): Promise<void>;
  /** Removes a variant's site, unless it is used elsewhere. */
  removeVariantSite(contentGuid: string, site: string): Promise<void>;
  /** Removes the site of a draft that no longer exists. */
  removeDraftSite(contentGuid: string, site: string): Promise<void>;
  /** Null if all files are in the directories below. */
  readonly openDeployed: OpenDeployed | null;
  /** Removes all deployed files of a content item. */
  removeSite(contentGuid: string): Promise<void>;
  /** The directory that is served or run for a deploy. */
  siteDirectory(contentGuid: string, site: string): string;
  /** Removes directories that nothing uses: returns their names. */
  sweep(
    serving: ReadonlyMap<string, string | null>,
    kept: ReadonlyMap<string, readonly string[]>,
  ): Promise<readonly string[]>;
}

export type DeployKind = 'deploy' | 'draft' | 'render';

export interface DeployOptions extends SiteDirectoriesOptions {
  readonly storage: Storage;
  readonly openDeployed: OpenDeployed | null;
  readonly sites: UnpackedSites | null;
  readonly tasks: TaskService;
  readonly config: Config;
  readonly audit: Audit;
  readonly pipeline: Pipeline;
  /** Removes files that may be owned by the account of content. */
  readonly removeTree: (path: string) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly atOnce: number;
  /** Seconds that a draft is kept. */
  readonly draftRetention: number;
  readonly contentChanged: (guid: string) => void;
  /** Called after a deploy or a rendering went live on this server. */
  readonly wentLive: (guid: string) => void;
  /** Called after another bundle became active. */
  readonly deployed: (guid: string) => void;
}

export function createDeployService(options: DeployOptions): DeployService {
  const { tasks, db, applications, clock, log, contentChanged } = options;
  const { sites, openDeployed, storage } = options;
  const queue = createQueue(options.atOnce);
  const directories = createSiteDirectories(options);
  const siteDirectory = directories.at;
  const { build, takeDraft } = createSiteBuilder({ ...options, directories });

  async function runDeploy(
    taskId: string,
    guid: string,
    obtain: (context: TaskContext) => Promise<BundleRow | null>,
    kind: DeployKind,
    preview: string | null,
  ): Promise<void> {
    using reserved = new DisposableStack();
    let obtained: BundleRow | null = null;
    let draft: DraftRow | undefined;
    let prepared: Prepared | undefined;
    let before: string | null = null;
    let left: string[] = [];
    /** The publisher's own rendering and the site that was live before; null if not shown. */
    let local: { readonly site: string; readonly before: string | null } | null = null;
    await tasks.run(
      taskId,
      async (context): Promise<Completion> => {
        const bundle = await obtain(context);
        if (bundle === null) return async () => undefined;
        obtained = bundle;
        reserved.use(reserve(taskId, bundle, context));
        const steadily = <T>(read: () => Promise<T>) => retryOutages(context, read);
        draft =
          kind === 'render'
            ? undefined
            : await steadily(() => findUsableDraft(db, bundle, siteDirectory, openDeployed !== null));
        if (kind === 'draft') {
          const content = await steadily(() => findContent(db, guid));
          if (content) requireInactive(content, bundle.id);
          const ready = draft ? preparedOf(draft) : await build(taskId, bundle, context);
          prepared = ready;
          context.log(draft ? 'The draft is kept longer' : 'The draft is ready');
          await steadily(() => sayCanary(context, taskId));
          return async (tx) => {
            const task = await findTask(tx, taskId);
            if (task)
              left = await keepDraft(
                tx,
                { clock, retention: options.draftRetention },
                task,
                bundle,
                ready,
                preview,
              );
            await beginCanary(tx, options, taskId, bundle);
          };
        }
        const showLocal = async (shown: Prepared): Promise<void> => {
          const activation = {
            taskId,
            bundle,
            prepared: shown,
            isDeploy: true,
            parts: options,
            now: clock.now(),
          };
          const replaced = await storage.write(async (tx) => {
            await context.requireLease(tx);
            return activate(tx, activation);
          }, aboutContent(guid));
          local = { site: shown.site, before: replaced };
          context.log('What was rendered where this was published is shown until the rendering here is done');
          contentChanged(guid);
          options.wentLive(guid);
        };
        const mayShowLocal = kind === 'deploy' && !(await steadily(() => mayBeHeld(db, guid)));
        const ready = draft
          ? await takeDraft(draft, bundle, context)
          : await build(taskId, bundle, context, null, mayShowLocal ? showLocal : undefined);
        prepared = ready;
        const parts = { db, siteDirectory, openDeployed };
        const shrink = draft ? null : await steadily(() => shrinkOf(parts, bundle, ready));
        if (shrink !== null) {
          left = await hold(
            { ...options, requireLease: context.requireLease },
            taskId,
            bundle,
            ready,
            shrink,
          );
          throw errors.operationDenied({ message: shrink });
        }
        context.stage('activate');
        context.log(kind === 'deploy' ? 'Activated' : 'The new rendering is shown');
        return async (tx) => {
          const isDeploy = kind === 'deploy';
          before = await activate(tx, {
            taskId,
            bundle,
            prepared: ready,
            isDeploy,
            parts: options,
            now: clock.now(),
          });
        };
      },
      aboutContent(guid),
    );
    // The database decides, even if its last answer was lost.
    const active = await findContent(db, guid).catch(() => undefined);
    const isActive = prepared !== undefined && active?.site === prepared.site;
    const bundle = obtained as BundleRow | null;
    const isDraft = bundle !== null && !isActive && (await isDraftOf(bundle, draft?.site ?? prepared?.site));
    const site = draft?.site ?? prepared?.site;
    if (isDraft && site !== undefined) applications.keepAsDraft(guid, site);
    else if (prepared && !isActive) await applications.abandon(guid, prepared.site);
    contentChanged(guid);
    for (const name of left) await directories.removeOfDraft(guid, name);
    const shown = local as { site: string; before: string | null } | null;
    if (isActive && prepared) await directories.tidy(guid, [prepared.site, before]);
    else if (shown) await directories.tidy(guid, [shown.site, shown.before]);
    // Throws if the database does not respond: then it may be live.
    else if (prepared && !isDraft) await directories.removeOfRefused(guid, prepared.site);
    if (isActive) options.wentLive(guid);
    if (isActive && kind === 'deploy') options.deployed(guid);
    void sites?.evict();
  }

  async function sayCanary({ log: print }: TaskContext, taskId: string): Promise<void> {
    const canary = await canaryOfTask(db, 'task_id', taskId);
    if (canary)
      print(`It takes ${canary.share} % of new sessions from now on, for ${canary.length} seconds at least`);
  }

  async function renderVariant(taskId: string, bundle: BundleRow, key: string): Promise<void> {
    const guid = bundle.content_guid;
    using reserved = new DisposableStack();
    let site: string | null = null;
    let before: string | null = null;
    await tasks.run(
      taskId,
      async (context): Promise<Completion> => {
        reserved.use(reserve(taskId, bundle, context));
        const steadily = <T>(read: () => Promise<T>) => retryOutages(context, read);
        const variant = await steadily(() => findVariant(db, key));
        if (!variant) throw errors.notFound({ message: 'the variant was deleted' });
        const values = JSON.parse(variant.parameter_values) as Values;
        const prepared = await build(taskId, bundle, context, values);
        site = prepared.site;
        const parts = { db, siteDirectory, openDeployed };
        const shrink = await steadily(() => shrinkOfVariant(parts, variant, prepared));
        if (shrink !== null) {
          await holdVariant(
            { ...options, requireLease: context.requireLease },
            taskId,
            variant,
            bundle,
            prepared,
            shrink,
          );
          throw errors.operationDenied({
            message: `it is held for review: ${shrink}. Collaborators open it from the page of the variant, and show or discard it`,
          });
        }
        context.stage('activate');
        context.log('The new rendering is shown');
        return async (tx) => {
          before = await showRendering(tx, key, { taskId, bundle, values, prepared, now: clock.now() });
        };
      },
      aboutContent(guid),
    );
    contentChanged(guid);
    if (site !== null) await directories.removeOfVariant(guid, site);
    await directories.tidy(guid, [before]);
    void sites?.evict();
  }

  function reserve(id: string, bundle: BundleRow, { attempt }: TaskContext): Disposable | undefined {
    return sites?.reserve(bundle.content_guid, siteOf({ bundle_id: bundle.id, id, attempt }));
  }

  async function enqueue(taskId: string, contentGuid: string, work: () => Promise<void>): Promise<void> {
    // Earlier ones may be on other servers.
    const turn = tasks.turn(taskId);
    if (turn) await turn;
    return queue.add(contentGuid, work);
  }

  /** An earlier deploy in the queue may have made another bundle live since the rendering was requested. */
  async function liveBundle(
    taskId: string,
    asked: BundleRow,
    { log: print }: TaskContext,
  ): Promise<BundleRow> {
    const content = await findContent(db, asked.content_guid);
    if (!content) throw errors.notFound({ message: DELETED });
    if (content.bundle_id === asked.id) return asked;
    const live = content.bundle_id === null ? undefined : await findBundle(db, content.bundle_id);
    if (!live) throw errors.noBundleToDeploy();
    print(`Bundle ${live.id} went live meanwhile: it is rendered`);
    await storage.write((tx) => setTaskBundle(tx, taskId, live.id), aboutContent(content.guid));
    return live;
  }

  async function isDraftOf({ id }: BundleRow, site: string | undefined): Promise<boolean> {
    return site !== undefined && (await findDraft(db, id).catch(() => undefined))?.site === site;
  }

  return {
    openDeployed,
    siteDirectory,
    removeDraftSite: directories.removeOfDraft,
    removeVariantSite: directories.removeOfVariant,
    sweep: directories.sweep,
    runVariant: (taskId, bundle, key) =>
      enqueue(taskId, bundle.content_guid, () => renderVariant(taskId, bundle, key)).catch((error: unknown) =>
        log.error(error, 'variant %s of bundle %s', key, bundle.id),
      ),
    run: (taskId, bundle, kind, preview = null) =>
      enqueue(taskId, bundle.content_guid, () => {
        const obtain = async (context: TaskContext) =>
          kind === 'render' ? retryOutages(context, () => liveBundle(taskId, bundle, context)) : bundle;
        return runDeploy(taskId, bundle.content_guid, obtain, kind, preview);
      }).catch((error: unknown) => log.error(error, '%s of bundle %s', kind, bundle.id)),
    runObtained: (taskId, guid, obtain) =>
      enqueue(taskId, guid, () => runDeploy(taskId, guid, obtain, 'deploy', null)).catch((error: unknown) =>
        log.error(error, 'deploy of %s', guid),
      ),
    async removeSite(guid) {
      // After any running deploy and without processes, so that nothing is written afterwards.
      await queue.addShort(guid, async () => {
        await applications.end(guid);
        await directories.removeAll(guid);
      });
    },
  };
}
