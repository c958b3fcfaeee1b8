// Builds the site of a deploy, draft or rendering: from the archive of its bundle, or from a finished draft.
import type { Readable } from 'node:stream';
import { ApiError, errors } from '@pressroom/api/contract';
import type { BundleRow } from '../../bundles/store.ts';
import { storedManifest } from '../../bundles/stored-manifest.ts';
import { findContent } from '../../content/store.ts';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import type { Executor } from '../../platform/database/storage.ts';
import type { Applications } from '../../runtime/applications.ts';
import { Unavailable } from '../../runtime/unavailable.ts';
import { retryOutages } from '../../tasks/retry-outages.ts';
import type { TaskContext } from '../../tasks/run-task.ts';
import type { Values } from '../../variants/declared/check-values.ts';
import { DELETED } from '../activate.ts';
import { preparedOf } from '../drafts/keep-draft.ts';
import type { DraftRow } from '../drafts/store.ts';
import type { Pipeline, Prepared } from '../pipeline.ts';
import { LINES_EXAMINED, startFailure } from '../restart-application.ts';
import { packRendered } from './rendered-archive.ts';
import { localSiteOf, siteOf, type SiteDirectories } from './site-directories.ts';

interface Parts {
  readonly db: Executor;
  readonly blobs: BlobStore;
  readonly pipeline: Pipeline;
  readonly applications: Applications;
  readonly directories: SiteDirectories;
  /** Removes files that may be owned by the account of content. */
  readonly removeTree: (path: string) => Promise<void>;
}

export interface SiteBuilder {
  /**
   * Leaves nothing behind on failure.
   * @param values for the parameters of a document; null for those of its source
   * @param showLocal shows the publisher's own rendering, if the bundle has one
   */
  build(
    taskId: string,
    bundle: BundleRow,
    context: TaskContext,
    values?: Values | null,
    showLocal?: (prepared: Prepared) => Promise<void>,
  ): Promise<Prepared>;
  /** Takes over what a draft prepared; an application is started before it goes live, as in any deploy. */
  takeDraft(draft: DraftRow, bundle: BundleRow, context: TaskContext): Promise<Prepared>;
}

export function createSiteBuilder(parts: Parts): SiteBuilder {
  const { db, blobs, pipeline, applications, directories, removeTree } = parts;
  const siteDirectory = directories.at;

  const build: SiteBuilder['build'] = (taskId, bundle, context, ...more) =>
    retryOutages(context, () => buildOnce(taskId, bundle, context, ...more));

  async function buildOnce(
    taskId: string,
    bundle: BundleRow,
    context: TaskContext,
    values: Values | null = null,
    showLocal?: (prepared: Prepared) => Promise<void>,
  ): Promise<Prepared> {
    const manifest = storedManifest(bundle.manifest);
    const content = await findContent(db, bundle.content_guid);
    if (!content) throw errors.notFound({ message: DELETED });
    const site = siteOf({ bundle_id: bundle.id, id: taskId, attempt: context.attempt });
    await directories.prepare(content.guid);
    const target = siteDirectory(content.guid, site);
    const local = showLocal && localRendering(content.guid, site, showLocal);
    // Shown by an earlier attempt, which an outage interrupted.
    const isShown = local !== undefined && content.site === local.site;
    if (local && !isShown) await removeTree(local.target);
    try {
      const request = {
        content,
        bundle,
        manifest,
        site,
        target,
        archive: () => openArchive(bundle),
        values,
        ...(local && !isShown && { local }),
      };
      const prepared = await pipeline.prepare(request, context);
      context.signal.throwIfAborted();
      // Uploaded before it becomes active: other servers get it from there.
      if (prepared.isRendered) await blobs.sites?.put(content.guid, site, packRendered(target));
      return prepared;
    } catch (error) {
      await applications.abandon(content.guid, site);
      await removeTree(target);
      throw error;
    }
  }

  function localRendering(guid: string, ofServer: string, show: (prepared: Prepared) => Promise<void>) {
    const site = localSiteOf(ofServer);
    const target = siteDirectory(guid, site);
    return {
      site,
      target,
      async show(prepared: Prepared): Promise<void> {
        await blobs.sites?.put(guid, site, packRendered(target));
        await show(prepared);
      },
    };
  }

  /** @throws ApiError 135 if it is missing, 1 with status 503 if the store does not respond */
  async function openArchive(bundle: BundleRow): Promise<Readable> {
    try {
      return (await blobs.open(bundle)).stream;
    } catch (cause) {
      if (!(cause instanceof ApiError) || cause.code !== 4) throw cause;
      const message = 'Unable to extract bundle: the stored archive cannot be read';
      throw errors.bundleNotExtracted({ message, cause });
    }
  }

  const takeDraft: SiteBuilder['takeDraft'] = (draft, bundle, context) =>
    retryOutages(context, () => takeDraftOnce(draft, bundle, context));

  async function takeDraftOnce(
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
        if (printed.length < LINES_EXAMINED) printed.push(line);
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

  return { build, takeDraft };
}
