// The directories of deployed content: one for each deploy, draft and rendering, removed when nothing shows it.
import { mkdir, open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { findContent } from '../content/store.ts';
import { bundlesThatRun } from '../jobs/store.ts';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import type { Executor } from '../platform/database/storage.ts';
import type { Applications } from '../runtime/applications.ts';
import { openTasksOf } from '../tasks/store.ts';
import { keptSites } from './kept-sites.ts';

export interface SiteDirectories {
  /** The directory that is served or run for a deploy. */
  at(contentGuid: string, site: string): string;
  /** Makes the one that holds all of a content item. */
  prepare(contentGuid: string): Promise<void>;
  /** Keeps the new deploy, the one before it, which requests under way may still read, and what processes run from. */
  tidy(contentGuid: string, keep: readonly (string | null)[]): Promise<void>;
  /** Removes what a variant showed, unless something else shows it. */
  removeOfVariant(contentGuid: string, site: string): Promise<void>;
  /** Removes what a deploy made that was refused at its end, unless something has it after all. */
  removeOfRefused(contentGuid: string, site: string): Promise<void>;
  /** Removes what a draft had, which is none any more. */
  removeOfDraft(contentGuid: string, site: string): Promise<void>;
  /** Removes everything deployed of a content item. */
  removeAll(contentGuid: string): Promise<void>;
  /** Removes directories that no content item serves, and that nothing else of it has; answers their names. */
  sweep(
    serving: ReadonlyMap<string, string | null>,
    kept: ReadonlyMap<string, readonly string[]>,
  ): Promise<string[]>;
}

export interface SiteDirectoriesOptions {
  /** Of all deployed content. */
  readonly directory: string;
  readonly blobs: BlobStore;
  readonly db: Executor;
  readonly applications: Applications;
  /** Removes files that may belong to the account of content. */
  readonly removeTree: (path: string) => Promise<void>;
}

/** Others may pass through, but not look around. */
const MODE = 0o711;
/** Ends the name of a directory that is being removed. */
const GOING = '.going';

export function createSiteDirectories(options: SiteDirectoriesOptions): SiteDirectories {
  const { directory, blobs, db, applications, removeTree } = options;
  const at = (guid: string, site: string) => join(directory, guid, site);

  /** Under another name first: a backup that is made meanwhile has all of it or none, as what is there counts as whole. */
  async function remove(path: string): Promise<void> {
    const isMoved = await rename(path, path + GOING).then(
      () => true,
      () => false,
    );
    await removeTree(isMoved ? path + GOING : path);
  }

  /** To be asked when it is known what is there: what comes later is not touched. */
  async function usedSites(guid: string): Promise<string[]> {
    // Another server of the same database may be deploying the same content.
    const underWay = (await openTasksOf(db, guid)).map(siteOf).flatMap((name) => [name, localSiteOf(name)]);
    // Read last: what has ended meanwhile left its directory to one of these.
    const kept = (await keptSites(db, guid)).get(guid) ?? [];
    const active = (await findContent(db, guid))?.site ?? null;
    return [...underWay, ...kept, ...(active === null ? [] : [active]), ...applications.sitesInUse(guid)];
  }

  /** On other servers, too, which may share the directory: their last visitors read from it. */
  async function earlierThatRun(guid: string): Promise<number[]> {
    const running = await bundlesThatRun(db, guid);
    const active = (await findContent(db, guid))?.bundle_id;
    return running.filter((bundle) => bundle !== active);
  }

  return {
    at,
    async prepare(guid) {
      if (await mkdir(join(directory, guid), { recursive: true, mode: MODE })) await syncDirectory(directory);
    },
    async tidy(guid, keep) {
      const all = await readdir(join(directory, guid)).catch(() => []);
      const shown = keep.filter((name) => name !== null);
      const used = [...shown, ...(await usedSites(guid))];
      const earlier = await earlierThatRun(guid);
      for (const name of all) {
        if (!used.includes(name) && !earlier.includes(bundleOf(name))) await remove(at(guid, name));
      }
      await blobs.sites?.removeAllBut(guid, async () => [...shown, ...(await usedSites(guid))]);
    },
    async removeOfVariant(guid, site) {
      const kept = (await keptSites(db, guid)).get(guid) ?? [];
      const active = (await findContent(db, guid))?.site;
      if (site !== active && !kept.includes(site)) await remove(at(guid, site));
    },
    async removeOfRefused(guid, site) {
      if (!(await usedSites(guid)).includes(site)) await remove(at(guid, site));
    },
    async removeOfDraft(guid, site) {
      await applications.abandon(guid, site);
      await remove(at(guid, site));
    },
    async removeAll(guid) {
      await remove(join(directory, guid));
      await blobs.sites?.removeAllBut(guid, async () => []);
    },
    async sweep(serving, kept) {
      const removed: string[] = [];
      await mkdir(directory, { recursive: true, mode: MODE });
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

/** Name of the directory that a task deploys to: another one where another server has taken it over. */
export function siteOf(task: { bundle_id: number | null; id: string; attempt: number }): string {
  const name = `${task.bundle_id}-${task.id}`;
  return task.attempt === 0 ? name : `${name}-${task.attempt}`;
}

function bundleOf(site: string): number {
  return Number.parseInt(site, 10);
}

/** That of what the publisher rendered, beside what the server does. */
export function localSiteOf(site: string): string {
  return `${site}-local`;
}

/** So that a new directory in it outlives a loss of power. */
async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory);
  await handle.sync();
}
