// Deploys, drafts and renders: one at a time for each content item, a few at once, the old deploy active until the end.
import { mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ApiError, errors, type Manifest } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import { appModeOf } from '../bundles/archive/index.ts';
import { updateBundleRow, type BundleRow } from '../bundles/store.ts';
import { storedManifest } from '../bundles/stored-manifest.ts';
import { aboutContent, findContent, updateContentRow, type ContentRow } from '../content/store.ts';
import { createDeliveries } from '../mailing/deliveries.ts';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Executor } from '../platform/database/storage.ts';
import type { Applications } from '../runtime/applications.ts';
import { insertRendering } from '../runtime/rendering-store.ts';
import { Unavailable } from '../runtime/unavailable.ts';
import { DEFAULT_VARIANT } from '../schedules/store.ts';
import { findTask, openTasksOf } from '../tasks/store.ts';
import type { Completion, TaskContext, TaskService } from '../tasks/task-service.ts';
import type { Values } from '../variants/declared/check-values.ts';
import { findVariant } from '../variants/store.ts';
import { noteReleased } from './approval-store.ts';
import { notApproved, standingOf } from './approvals.ts';
import { findDraft, removeDraft, type DraftRow } from './draft-store.ts';
import { keepDraft, preparedOf, requireInactive, usableDraft } from './keep-draft.ts';
import type { Pipeline, Prepared } from './pipeline.ts';
import type { OpenDeployed } from './open-deployed.ts';
import { keptSites } from './kept-sites.ts';
import { createQueue } from './queue.ts';
import { packRendered } from './rendered-archive.ts';
import { LINES_LOOKED_AT, startFailure } from './restart-application.ts';
import { showRendering } from './show-rendering.ts';
import type { UnpackedSites } from './unpacked-sites.ts';

export interface DeployService {
  /**
   * Does the work of a task that deploys a bundle, makes a draft of it, or renders it again; never rejects.
   * @param preview whose address the draft gets
   */
  run(taskId: string, bundle: BundleRow, kind: DeployKind, preview?: string | null): Promise<void>;
  /** The same of a task that renders a variant. */
  runVariant(taskId: string, bundle: BundleRow, key: string): Promise<void>;
  /** Removes what a variant showed, unless something else shows it. */
  removeVariantSite(contentGuid: string, site: string): Promise<void>;
  /** Removes what a draft had, which is none any more. */
  removeDraftSite(contentGuid: string, site: string): Promise<void>;
  /** Null where the directories below are all there is. */
  readonly openDeployed: OpenDeployed | null;
  /** Removes everything deployed of a content item. */
  removeSite(contentGuid: string): Promise<void>;
  /** The directory that is served or run for a deploy. */
  siteDirectory(contentGuid: string, site: string): string;
  /** Removes directories that no content item serves, and that nothing else of it has; answers their names. */
  sweep(
    serving: ReadonlyMap<string, string | null>,
    kept: ReadonlyMap<string, readonly string[]>,
  ): Promise<string[]>;
}

export type DeployKind = 'deploy' | 'draft' | 'render';

export interface DeployOptions {
  /** Of all deployed content. */
  readonly directory: string;
  readonly blobs: BlobStore;
  readonly openDeployed: OpenDeployed | null;
  readonly sites: UnpackedSites | null;
  readonly tasks: TaskService;
  readonly db: Executor;
  readonly pipeline: Pipeline;
  readonly applications: Applications;
  readonly clock: Clock;
  readonly log: Logger;
  readonly atOnce: number;
  /** Seconds that a draft is kept. */
  readonly draftRetention: number;
  readonly contentChanged: (guid: string) => void;
  /** Told that a deploy or a rendering went live here. */
  readonly wentLive: (guid: string) => void;
  /** Told that another bundle is active. */
  readonly deployed: (guid: string) => void;
  /** Removes files that may belong to the account of content. */
  readonly removeTree: (path: string) => Promise<void>;
}

const DELETED = 'the content was deleted during its deploy';

export function createDeployService(options: DeployOptions): DeployService {
  const { directory, blobs, tasks, db, pipeline, applications, clock, log, contentChanged, removeTree } =
    options;
  const { draftRetention } = options;
  const { sites, openDeployed } = options;
  const queue = createQueue(options.atOnce);
  const siteDirectory = (guid: string, site: string) => join(directory, guid, site);

  async function work(
    taskId: string,
    bundle: BundleRow,
    context: TaskContext,
    values: Values | null = null,
  ): Promise<[Prepared, Manifest]> {
    const manifest = storedManifest(bundle.manifest);
    const content = await findContent(db, bundle.content_guid);
    if (!content) throw errors.notFound({ message: DELETED });
    const site = siteOf({ bundle_id: bundle.id, id: taskId });
    // Others may pass through, but not look around.
    if (await mkdir(join(directory, content.guid), { recursive: true, mode: 0o711 }))
      await syncDirectory(directory);
    const target = siteDirectory(content.guid, site);
    try {
      const request = {
        content,
        bundle,
        manifest,
        site,
        target,
        archive: () => openArchive(bundle),
        values,
      };
      const prepared = await pipeline.prepare(request, context);
      context.signal.throwIfAborted();
      // Before it is the active one: other servers look for it there.
      if (prepared.isRendered) await blobs.sites?.put(content.guid, site, packRendered(target));
      return [prepared, manifest];
    } catch (error) {
      await applications.abandon(content.guid, site);
      await removeTree(target);
      throw error;
    }
  }

  /** @throws ApiError 135 for one that is gone, 1 with status 503 where the store does not answer */
  async function openArchive(bundle: BundleRow): Promise<Readable> {
    try {
      return (await blobs.open(bundle)).stream;
    } catch (cause) {
      if (!(cause instanceof ApiError) || cause.code !== 4) throw cause;
      const message = 'Unable to extract bundle: the stored archive cannot be read';
      throw errors.bundleNotExtracted({ message, cause });
    }
  }

  /** Takes what a draft prepared; the application starts before it goes live, as in any deploy. */
  async function takeDraft(
    draft: DraftRow,
    bundle: BundleRow,
    { log, stage, signal }: TaskContext,
  ): Promise<Prepared> {
    const content = await findContent(db, bundle.content_guid);
    if (!content) throw errors.notFound({ message: DELETED });
    log('Nothing is built again: a draft of this bundle is ready');
    const prepared = preparedOf(draft);
    const { site, launch } = prepared;
    if (launch === null) return prepared;
    stage('start');
    const printed: string[] = [];
    const onAbort = () => void applications.abandon(content.guid, site);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await applications.tryDraft({ content, bundleId: bundle.id, site, launch }, (line) => {
        if (printed.length < LINES_LOOKED_AT) printed.push(line);
        log(line);
      });
    } catch (error) {
      throw error instanceof Unavailable ? startFailure(error, printed) : error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
    signal.throwIfAborted();
    return prepared;
  }

  /** Makes a deploy the active one; answers the one that was active before. */
  async function activate(
    tx: Executor,
    taskId: string,
    bundle: BundleRow,
    { site, environment, launch, isRendered, parameters, mail = null }: Prepared,
    manifest: Manifest,
    kind: DeployKind,
  ): Promise<string | null> {
    const content = await findContent(tx, bundle.content_guid);
    if (!content) throw errors.notFound({ message: DELETED });
    if (kind === 'deploy') {
      // Rights and approvals may have gone since it was asked for.
      const standing = await standingOf(tx, content, bundle);
      if (!standing.mayGoLive) throw notApproved(bundle, standing);
      await noteReleased(tx, bundle.id, clock.now());
    }
    await removeDraft(tx, bundle.id);
    const now = clock.now();
    const versions = {
      r_version: environment?.language === 'R' ? environment.version : null,
      py_version: environment?.language === 'Python' ? environment.version : null,
    };
    const rendering = {
      content_guid: content.guid,
      bundle_id: bundle.id,
      task_id: taskId,
      created_time: now,
      mail: mail && JSON.stringify(mail),
    };
    const renderingId = isRendered ? await insertRendering(tx, rendering) : null;
    await updateContentRow(tx, content.guid, {
      ...versions,
      bundle_id: bundle.id,
      site,
      launch: launch && JSON.stringify(launch),
      restored: isRendered ? (environment?.readable[0] ?? null) : null,
      rendering_id: renderingId,
      variant_key: isRendered ? variantOf(content) : null,
      app_mode: appModeOf(manifest.appmode),
      kind: manifest.appmode,
      content_category: manifest.content_category,
      has_parameters: manifest.has_parameters ? 1 : 0,
      ...(kind === 'deploy' && { last_deployed_time: now }),
    });
    await updateBundleRow(tx, bundle.id, {
      ...versions,
      ...(kind === 'deploy' && { deployed_time: now }),
      ...(parameters && { parameters: JSON.stringify(parameters) }),
    });
    if (renderingId !== null && (await findTask(tx, taskId))?.mails === 1) {
      const mailed = { contentGuid: content.guid, variant: DEFAULT_VARIANT, renderingId, mail, now };
      await createDeliveries(tx, mailed, { isScheduled: true });
    }
    return content.site;
  }

  /** Keeps the new deploy, the one before it, which requests under way may still read, and what processes run from. */
  async function tidy(guid: string, keep: (string | null)[]): Promise<void> {
    const all = await readdir(join(directory, guid)).catch(() => []);
    // Another server of the same database may be deploying the same content.
    const underWay = (await openTasksOf(db, guid)).map(siteOf);
    // Read last: what has ended meanwhile left its directory to one of these.
    const kept = (await keptSites(db, guid)).get(guid) ?? [];
    const active = (await findContent(db, guid))?.site ?? null;
    const used = [...keep, ...underWay, ...kept, active, ...applications.sitesInUse(guid)];
    for (const name of all) {
      if (!used.includes(name)) await removeTree(siteDirectory(guid, name));
    }
    await blobs.sites?.removeAllBut(
      guid,
      used.filter((name) => name !== null),
    );
  }

  async function runInTurn(
    taskId: string,
    bundle: BundleRow,
    kind: DeployKind,
    preview: string | null,
  ): Promise<void> {
    const guid = bundle.content_guid;
    using _reserved = sites?.reserve(guid, siteOf({ bundle_id: bundle.id, id: taskId }));
    let draft: DraftRow | undefined;
    let prepared: Prepared | undefined;
    let before: string | null = null;
    let left: string[] = [];
    await tasks.run(
      taskId,
      async (context): Promise<Completion> => {
        draft =
          kind === 'render' ? undefined : await usableDraft(db, bundle, siteDirectory, openDeployed !== null);
        if (kind === 'draft') {
          const content = await findContent(db, guid);
          if (content) requireInactive(content, bundle.id);
          const ready = draft ? preparedOf(draft) : (await work(taskId, bundle, context))[0];
          prepared = ready;
          context.log(draft ? 'The draft is kept longer' : 'The draft is ready');
          return async (tx) => {
            const task = await findTask(tx, taskId);
            if (task)
              left = await keepDraft(tx, { clock, retention: draftRetention }, task, bundle, ready, preview);
          };
        }
        const [ready, manifest] = draft
          ? [await takeDraft(draft, bundle, context), storedManifest(bundle.manifest)]
          : await work(taskId, bundle, context);
        prepared = ready;
        context.stage('activate');
        context.log(kind === 'deploy' ? 'Activated' : 'The new rendering is shown');
        return async (tx) => {
          before = await activate(tx, taskId, bundle, ready, manifest, kind);
        };
      },
      aboutContent(guid),
    );
    // The database knows, also where its last answer got lost.
    const active = await findContent(db, guid).catch(() => undefined);
    const isActive = prepared !== undefined && active?.site === prepared.site;
    const isDraft = !isActive && (await isDraftOf(bundle, draft?.site ?? prepared?.site));
    const site = draft?.site ?? prepared?.site;
    if (isDraft && site !== undefined) applications.keepAsDraft(guid, site);
    else if (prepared && !isActive) await applications.abandon(guid, prepared.site);
    contentChanged(guid);
    for (const name of left) await removeDraftSite(guid, name);
    if (isActive && prepared) await tidy(guid, [prepared.site, before]);
    if (isActive) options.wentLive(guid);
    if (isActive && kind === 'deploy') options.deployed(guid);
    void sites?.evict();
  }

  async function renderVariant(taskId: string, bundle: BundleRow, key: string): Promise<void> {
    const guid = bundle.content_guid;
    using _reserved = sites?.reserve(guid, siteOf({ bundle_id: bundle.id, id: taskId }));
    let site: string | null = null;
    let before: string | null = null;
    await tasks.run(
      taskId,
      async (context): Promise<Completion> => {
        const variant = await findVariant(db, key);
        if (!variant) throw errors.notFound({ message: 'the variant was deleted' });
        const values = JSON.parse(variant.parameter_values) as Values;
        const [prepared] = await work(taskId, bundle, context, values);
        site = prepared.site;
        context.stage('activate');
        context.log('The new rendering is shown');
        return async (tx) => {
          before = await showRendering(tx, key, { taskId, bundle, values, prepared, now: clock.now() });
        };
      },
      aboutContent(guid),
    );
    contentChanged(guid);
    if (site !== null) await removeVariantSite(guid, site);
    await tidy(guid, [before]);
    void sites?.evict();
  }

  async function removeVariantSite(guid: string, site: string): Promise<void> {
    const kept = (await keptSites(db, guid)).get(guid) ?? [];
    const active = (await findContent(db, guid))?.site;
    if (site !== active && !kept.includes(site)) await removeTree(siteDirectory(guid, site));
  }

  async function isDraftOf({ id }: BundleRow, site: string | undefined): Promise<boolean> {
    return site !== undefined && (await findDraft(db, id).catch(() => undefined))?.site === site;
  }

  async function removeDraftSite(guid: string, site: string): Promise<void> {
    await applications.abandon(guid, site);
    await removeTree(siteDirectory(guid, site));
  }

  return {
    siteDirectory,
    removeDraftSite,
    removeVariantSite,
    openDeployed,
    runVariant: (taskId, bundle, key) =>
      queue
        .add(bundle.content_guid, () => renderVariant(taskId, bundle, key))
        .catch((error: unknown) => log.error(error, 'variant %s of bundle %s', key, bundle.id)),
    run: (taskId, bundle, kind, preview = null) =>
      queue
        .add(bundle.content_guid, () => runInTurn(taskId, bundle, kind, preview))
        .catch((error: unknown) => log.error(error, '%s of bundle %s', kind, bundle.id)),
    async removeSite(guid) {
      // Behind a deploy that is still under way, and with no process left, so that nothing is written after it.
      await queue.addShort(guid, async () => {
        await applications.end(guid);
        await removeTree(join(directory, guid));
        await blobs.sites?.removeAllBut(guid, []);
      });
    },
    async sweep(serving, kept) {
      const removed: string[] = [];
      await mkdir(directory, { recursive: true, mode: 0o711 });
      for (const guid of await readdir(directory)) {
        const site = serving.get(guid);
        const names = site === undefined ? ['.'] : await readdir(join(directory, guid));
        for (const name of names) {
          if (name === site || kept.get(guid)?.includes(name)) continue;
          await removeTree(join(directory, guid, name));
          removed.push(join(guid, name));
        }
      }
      return removed;
    },
  };
}

/** Name of the directory that a task deploys to. */
function siteOf({ bundle_id, id }: { bundle_id: number | null; id: string }): string {
  return `${bundle_id}-${id}`;
}

/** All renderings of a content item are of its one variant: the document with its own parameters. */
function variantOf({ guid, variant_key: known }: ContentRow): string {
  return known ?? guid.replaceAll('-', '').slice(0, 8);
}

/** So that a new directory in it outlives a loss of power. */
async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory);
  await handle.sync();
}
