// Deploys, drafts and renders: one at a time per content item, a few at once; the old deploy stays live until the end.
import { errors } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import { findBundle, type BundleRow } from '../bundles/store.ts';
import { aboutContent, findContent } from '../content/store.ts';
import { createQueue } from '../platform/queue.ts';
import { retryOutages } from '../tasks/retry-outages.ts';
import type { Completion, TaskContext } from '../tasks/run-task.ts';
import { setTaskBundle } from '../tasks/store.ts';
import type { Values } from '../variants/declared/check-values.ts';
import { findVariant } from '../variants/store.ts';
import { DELETED } from './activate.ts';
import type { Pipeline } from './pipeline.ts';
import { holdVariant, shrinkOfVariant } from './renderings/hold-variant.ts';
import { showRendering } from './renderings/show-rendering.ts';
import { createDeployRunner, type DeployKind, type RunParts } from './run-deploy.ts';
import { createSiteBuilder } from './sites/build-site.ts';
import type { OpenDeployed } from './sites/open-deployed.ts';
import { createSiteDirectories, siteOf, type SiteDirectoriesOptions } from './sites/site-directories.ts';

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

export interface DeployOptions
  extends SiteDirectoriesOptions, Omit<RunParts, 'directories' | 'builder' | 'db' | 'applications'> {
  readonly pipeline: Pipeline;
  /** Removes files that may be owned by the account of content. */
  readonly removeTree: (path: string) => Promise<void>;
  /** Called after each task, however it ended. */
  readonly ended: (taskId: string) => void;
  readonly log: Logger;
  readonly atOnce: number;
}

export function createDeployService(options: DeployOptions): DeployService {
  const { tasks, db, storage, applications, sites, openDeployed, clock, log, contentChanged } = options;
  const queue = createQueue(options.atOnce);
  const directories = createSiteDirectories(options);
  const siteDirectory = directories.at;
  const builder = createSiteBuilder({ ...options, directories });
  const runDeploy = createDeployRunner({ ...options, directories, builder });

  async function renderVariant(taskId: string, bundle: BundleRow, key: string): Promise<void> {
    const guid = bundle.content_guid;
    using reserved = new DisposableStack();
    let site: string | null = null;
    let before: string | null = null;
    await tasks.run(
      taskId,
      async (context): Promise<Completion> => {
        reserved.use(
          sites?.reserve(guid, siteOf({ bundle_id: bundle.id, id: taskId, attempt: context.attempt })),
        );
        const variant = await retryOutages(context, () => findVariant(db, key));
        if (!variant) throw errors.notFound({ message: 'the variant was deleted' });
        const values = JSON.parse(variant.parameter_values) as Values;
        const prepared = await builder.build(taskId, bundle, context, values);
        site = prepared.site;
        const compared = { db, siteDirectory, openDeployed };
        const shrink = await retryOutages(context, () => shrinkOfVariant(compared, variant, prepared));
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
            message: `it is held for review: ${shrink.text}. Collaborators open it from the page of the variant, and show or discard it`,
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

  async function enqueue(taskId: string, contentGuid: string, work: () => Promise<void>): Promise<void> {
    // Earlier ones may be on other servers.
    const turn = tasks.turn(taskId);
    if (turn) {
      await turn;
      await queue.add(contentGuid, work);
    } else {
      const cancelled = tasks.queued(taskId);
      const person = (await tasks.find(taskId))?.user_guid;
      await queue.add(contentGuid, work, person, cancelled).catch((error: unknown) => {
        if (!cancelled.aborted) throw error;
      });
    }
    options.ended(taskId);
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
        return runDeploy({ taskId, guid: bundle.content_guid, obtain, kind, preview });
      }).catch((error: unknown) => log.error(error, '%s of bundle %s', kind, bundle.id)),
    runObtained: (taskId, guid, obtain) =>
      enqueue(taskId, guid, () => runDeploy({ taskId, guid, obtain, kind: 'deploy', preview: null })).catch(
        (error: unknown) => log.error(error, 'deploy of %s', guid),
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
