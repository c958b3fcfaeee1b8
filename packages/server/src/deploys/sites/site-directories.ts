// Directories of deployed content: one per deploy, draft and rendering, removed when unused.
import { mkdir, open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { findContent } from '../../content/store.ts';
import { bundlesThatRun } from '../../jobs/store.ts';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import type { Executor } from '../../platform/database/storage.ts';
import type { Applications } from '../../runtime/applications.ts';
import { openTasksOf } from '../../tasks/store.ts';
import { keptSites } from './kept-sites.ts';

export interface SiteDirectories {
  /** The directory that is served or run for a deploy. */
  at(contentGuid: string, site: string): string;
  /** Creates the directory of a content item. */
  prepare(contentGuid: string): Promise<void>;
  /** Keeps the new deploy, the previous one, which open requests may still read, and those that processes run from. */
  tidy(contentGuid: string, keep: readonly (string | null)[]): Promise<void>;
  /** Removes a variant's site, unless it is used elsewhere. */
  removeOfVariant(contentGuid: string, site: string): Promise<void>;
  /** Removes the site of a deploy that was refused at its end, unless it is used after all. */
  removeOfRefused(contentGuid: string, site: string): Promise<void>;
  /** Removes the site of a draft that no longer exists. */
  removeOfDraft(contentGuid: string, site: string): Promise<void>;
  /** Removes all deployed files of a content item. */
  removeAll(contentGuid: string): Promise<void>;
  /** Removes directories that nothing uses: returns their names. */
  sweep(
    serving: ReadonlyMap<string, string | null>,
    kept: ReadonlyMap<string, readonly string[]>,
  ): Promise<readonly string[]>;
}

export interface SiteDirectoriesOptions {
  /** Directory of all deployed content. */
  readonly directory: string;
  readonly blobs: BlobStore;
  readonly db: Executor;
  readonly applications: Applications;
  /** Removes files in the background: a deep tree takes long. */
  readonly removeLater: (path: string) => void;
}

/** Others may traverse but not list it. */
const MODE = 0o711;
/** Suffix of a directory that is being removed. */
const GOING = '.going';

export function createSiteDirectories(options: SiteDirectoriesOptions): SiteDirectories {
  const { directory, blobs, db, applications, removeLater } = options;
  const at = (guid: string, site: string) => join(directory, guid, site);

  /** A concurrent backup has all of it or none. */
  async function setAside(path: string): Promise<string> {
    if (path.endsWith(GOING)) return path;
    return rename(path, path + GOING).then(
      () => path + GOING,
      () => path,
    );
  }

  async function remove(path: string): Promise<void> {
    removeLater(await setAside(path));
  }

  /** To be called after listing the existing directories: later ones are not touched. */
  async function usedSites(guid: string): Promise<string[]> {
    // Another server of the same database may be deploying the same content.
    const underWay = (await openTasksOf(db, guid)).map(siteOf).flatMap((name) => [name, localSiteOf(name)]);
    // Read last: tasks that ended meanwhile left their directory to one of these.
    const kept = (await keptSites(db, guid)).get(guid) ?? [];
    const active = (await findContent(db, guid))?.site ?? null;
    return [...underWay, ...kept, ...(active === null ? [] : [active]), ...applications.sitesInUse(guid)];
  }

  /** Includes other servers, which may share the directory: their last visitors read from it. */
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
          await remove(join(directory, guid, name));
          removed.push(join(guid, name));
        }
      }
      return removed;
    },
  };
}

/** The directory name of a task: another one per attempt, after a takeover. */
export function siteOf(task: { bundle_id: number | null; id: string; attempt: number }): string {
  const name = `${task.bundle_id}-${task.id}`;
  return task.attempt === 0 ? name : `${name}-${task.attempt}`;
}

/** NaN for the name of another directory. */
export function bundleOf(site: string): number {
  return Number.parseInt(site, 10);
}

/** The directory name of the publisher's own rendering. */
export function localSiteOf(site: string): string {
  return `${site}-local`;
}

/** Makes a new entry of the directory survive a power loss. */
async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory);
  await handle.sync();
}
