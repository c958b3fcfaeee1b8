// Deploys: one at a time for each content item, a few at once for the server, the old bundle active until the end.
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '@pressroom/api';
import type { Logger } from 'pino';
import type { BlobStore } from '../blobs/index.ts';
import type { Clock } from '../config/clock.ts';
import { updateBundleRow, type BundleRow } from '../storage/bundles.ts';
import { findContent, updateContentRow } from '../storage/content.ts';
import type { TaskContext, TaskService } from '../tasks/task-service.ts';
import { extractBundle, wireAppMode, type ArchiveLimits, type Manifest } from './archive/index.ts';
import { findEngine } from './engines.ts';
import { createQueue } from './queue.ts';

export interface DeployService {
  /** Does the work of a deploy task; never rejects. */
  run(taskId: string, bundle: BundleRow): Promise<void>;
  /** Removes everything deployed of a content item. */
  removeSite(contentGuid: string): Promise<void>;
  /** The directory that is served for a deploy. */
  siteDirectory(contentGuid: string, site: string): string;
  /** Removes directories that no content item serves; answers their names. */
  sweep(serving: ReadonlyMap<string, string | null>): Promise<string[]>;
}

export interface DeployOptions {
  readonly directory: string;
  readonly blobs: BlobStore;
  readonly tasks: TaskService;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: ArchiveLimits;
  readonly atOnce: number;
  readonly contentChanged: (guid: string) => void;
}

export function createDeployService(options: DeployOptions): DeployService {
  const { directory, blobs, tasks, clock, log, limits, contentChanged } = options;
  const queue = createQueue(options.atOnce);
  const siteDirectory = (guid: string, site: string) => join(directory, guid, site);

  async function deploy(taskId: string, bundle: BundleRow, { log: print, signal }: TaskContext) {
    const manifest = JSON.parse(bundle.manifest) as Manifest;
    const engine = findEngine(manifest.appmode);
    const guid = bundle.content_guid;
    const site = `${bundle.id}-${taskId}`;
    const target = siteDirectory(guid, site);
    print(engine.building);
    if (await mkdir(join(directory, guid), { recursive: true, mode: 0o700 })) await syncDirectory(directory);
    const { files, bytes } = await extractBundle({
      file: blobs.path(bundle.id),
      directory: target,
      limits,
      signal,
    });
    print(`Extracted ${files} files, ${bytes} bytes`);
    try {
      await engine.prepare({ directory: target, manifest, print, signal });
      signal.throwIfAborted();
    } catch (error) {
      await rm(target, { recursive: true, force: true });
      throw error;
    }
    return { guid, site, manifest, print };
  }

  /** Keeps the new deploy and the one before it, which requests under way may still read. */
  async function tidy(guid: string, keep: (string | null)[]): Promise<void> {
    const all = await readdir(join(directory, guid)).catch(() => []);
    for (const name of all) {
      if (!keep.includes(name)) await rm(siteDirectory(guid, name), { recursive: true, force: true });
    }
  }

  return {
    siteDirectory,
    run: (taskId, bundle) =>
      queue
        .add(bundle.content_guid, async () => {
          let deployed: { site: string; before: string | null } | null = null;
          await tasks.run(taskId, async (context) => {
            const { guid, site, manifest, print } = await deploy(taskId, bundle, context);
            print('Activated');
            return async (tx) => {
              const content = await findContent(tx, guid);
              if (!content) throw new ApiError(4, { message: 'the content was deleted during its deploy' });
              deployed = { site, before: content.site };
              await updateContentRow(tx, guid, {
                bundle_id: bundle.id,
                site,
                app_mode: wireAppMode(manifest.appmode),
                content_category: manifest.content_category,
                has_parameters: manifest.has_parameters ? 1 : 0,
                r_version: bundle.r_version,
                py_version: bundle.py_version,
                last_deployed_time: clock.now(),
              });
              await updateBundleRow(tx, bundle.id, {
                r_version: bundle.r_version,
                py_version: bundle.py_version,
              });
            };
          });
          contentChanged(bundle.content_guid);
          const done = deployed as { site: string; before: string | null } | null;
          if (done) await tidy(bundle.content_guid, [done.site, done.before]);
        })
        .catch((error: unknown) => log.error(error, 'deploy of bundle %s', bundle.id)),
    async removeSite(guid) {
      // Behind a deploy that is still under way, so that nothing is written after it.
      await queue.add(guid, () => rm(join(directory, guid), { recursive: true, force: true }));
    },
    async sweep(serving) {
      const removed: string[] = [];
      await mkdir(directory, { recursive: true, mode: 0o700 });
      for (const guid of await readdir(directory)) {
        const site = serving.get(guid);
        const names = site === undefined ? ['.'] : await readdir(join(directory, guid));
        for (const name of names) {
          if (name === site) continue;
          await rm(join(directory, guid, name), { recursive: true, force: true });
          removed.push(join(guid, name));
        }
      }
      return removed;
    },
  };
}

/** So that a new directory in it outlives a loss of power. */
async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory);
  await handle.sync();
}
