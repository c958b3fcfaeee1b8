// Files that are unpacked on demand into a bounded cache, and again after eviction: with an S3 store all that is deployed,
// otherwise what is opened of earlier bundles.
import { randomUUID } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.ts';
import { filesBelow } from './files-below.ts';
import { bundleOf } from './site-directories.ts';

/** A directory that is kept while it is held. */
export interface HeldSite extends Disposable {
  readonly root: string;
}

export interface UnpackedSites {
  /**
   * The directory `name` of a content item. Concurrent callers share one unpacking.
   * @param fill creates the directory; returns its bytes
   * @param signal aborts `fill`: others who wait for it begin again
   * @throws errors of `fill`
   */
  hold(
    contentGuid: string,
    name: string,
    fill: (directory: string) => Promise<number>,
    signal?: AbortSignal,
  ): Promise<HeldSite>;
  /** Protects a directory that is being created elsewhere. */
  reserve(contentGuid: string, name: string): Disposable;
  /** Removes the directories of deleted content: those that are held once they are released. */
  forget(contentGuid: string): Promise<void>;
  /** Removes the least recently used directories until the rest fits the limit. Never rejects. */
  evict(): Promise<void>;
}

export interface UnpackedSitesOptions {
  /** Directory of all deployed content. */
  readonly directory: string;
  /** Where they are unpacked; on the same disk. */
  readonly workDirectory: string;
  /** Which directories of content items belong to the cache. */
  readonly isOwn: (name: string) => boolean;
  /** Bytes. */
  readonly limit: number;
  /** The bytes that the disk has for a cache of this many. */
  readonly room: (bytes: number) => Promise<number>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly removeTree: (path: string) => Promise<void>;
  /** Bundles of a content item with processes on any server: others may share the directory, and run from it. */
  readonly bundlesThatRun: (contentGuid: string) => Promise<readonly number[]>;
  /** Called after a directory was removed. */
  readonly onGone: (root: string) => void;
}

interface Place {
  holders: number;
  /** Microseconds; null before the first use by this server. */
  used: number | null;
  /** Null if it was not measured. */
  bytes: number | null;
  /** It goes with its last holder. */
  isOfDeleted: boolean;
}

const NEW = { holders: 0, used: null, bytes: null, isOfDeleted: false } as const satisfies Place;

/** In the directory of deployed content: its files are unpacked here. */
export const UNPACKING = '.unpacking';
const AT_ONCE = 4;
/** Files and directories of one deploy that are measured. */
const MAX_ENTRIES = 1_000_000;

export function createUnpackedSites(options: UnpackedSitesOptions): UnpackedSites {
  const { directory, workDirectory, isOwn, clock, log, removeTree, onGone } = options;
  const limited = pLimit(AT_ONCE);
  const places = new Map<string, Place>();
  const underWay = new Map<
    string,
    { readonly done: Promise<void>; readonly signal?: AbortSignal | undefined }
  >();
  let evicting: Promise<void> | null = null;

  function take(root: string): Disposable {
    const place = places.get(root) ?? { ...NEW };
    places.set(root, place);
    place.holders += 1;
    place.used = clock.now();
    let isHeld = true;
    return {
      [Symbol.dispose]() {
        if (isHeld) place.holders -= 1;
        isHeld = false;
        if (place.holders === 0 && place.isOfDeleted) void removeDeleted(root);
      },
    };
  }

  async function unpack(root: string, fill: (directory: string) => Promise<number>): Promise<void> {
    const work = join(workDirectory, `unpack-${randomUUID()}`);
    await mkdir(workDirectory, { recursive: true, mode: 0o711 });
    await mkdir(join(root, '..'), { recursive: true, mode: 0o711 });
    try {
      const bytes = await fill(work);
      await rename(work, root);
      const place = places.get(root);
      if (place) place.bytes = bytes;
    } catch (error) {
      await removeTree(work);
      if (!existsSync(root)) throw error;
    }
    void evict();
  }

  function unpackOnce(
    root: string,
    fill: (directory: string) => Promise<number>,
    signal?: AbortSignal,
  ): Promise<void> {
    const known = underWay.get(root);
    if (known)
      return known.done.catch((error: unknown) => {
        if (known.signal?.aborted !== true) throw error;
        return unpackOnce(root, fill, signal);
      });
    const done = limited(() => unpack(root, fill)).finally(() => underWay.delete(root));
    underWay.set(root, { done, signal });
    return done;
  }

  /** All directories, least recently used first. */
  async function measured(): Promise<{ root: string; place: Place; bytes: number; used: number }[]> {
    const found = [];
    for (const guid of await namesIn(directory)) {
      if (guid === UNPACKING) continue;
      for (const name of (await namesIn(join(directory, guid))).filter(isOwn)) {
        const root = join(directory, guid, name);
        const place = places.get(root) ?? { ...NEW };
        places.set(root, place);
        place.bytes ??= await bytesBelow(root);
        place.used ??= await stat(root).then(
          ({ mtimeMs }) => mtimeMs * 1000,
          () => 0,
        );
        found.push({ root, place, bytes: place.bytes, used: place.used });
      }
    }
    return found.toSorted((a, b) => a.used - b.used);
  }

  async function remove(root: string): Promise<void> {
    const gone = join(workDirectory, `evicted-${randomUUID()}`);
    await mkdir(workDirectory, { recursive: true, mode: 0o711 });
    // Synchronous from here on: whoever needs it now unpacks it again.
    if ((places.get(root)?.holders ?? 0) > 0 || !existsSync(root)) return;
    renameSync(root, gone);
    places.delete(root);
    onGone(root);
    await removeTree(gone);
  }

  /** Never rejects. */
  async function removeDeleted(root: string): Promise<void> {
    try {
      await remove(root);
      if (places.get(root)?.holders === 0) places.delete(root);
    } catch (error) {
      log.warn(error, 'removing %s of deleted content', root);
    }
  }

  async function isRun(root: string): Promise<boolean> {
    const running = await options.bundlesThatRun(basename(dirname(root)));
    return running.includes(bundleOf(basename(root)));
  }

  async function makeRoom(): Promise<void> {
    const all = await measured();
    let total = all.reduce((sum, { bytes }) => sum + bytes, 0);
    const limit = Math.min(options.limit, await options.room(total));
    let removed = 0;
    for (const { root, place, bytes } of all) {
      if (total <= limit) break;
      if (place.holders > 0 || (await isRun(root))) continue;
      await remove(root);
      total -= bytes;
      removed += 1;
    }
    if (removed > 0) log.info('removed %d unpacked deploys from the cache (Storage.CacheSize)', removed);
  }

  function evict(): Promise<void> {
    evicting ??= makeRoom()
      .catch((error: unknown) => log.error(error, 'making room for unpacked deploys'))
      .finally(() => (evicting = null));
    return evicting;
  }

  return {
    evict,
    async hold(contentGuid, name, fill, signal) {
      const root = join(directory, contentGuid, name);
      const held = take(root);
      try {
        if (!existsSync(root)) await unpackOnce(root, fill, signal);
        return { root, ...held };
      } catch (error) {
        held[Symbol.dispose]();
        throw error;
      }
    },
    reserve: (contentGuid, name) => take(join(directory, contentGuid, name)),
    async forget(contentGuid) {
      const content = join(directory, contentGuid);
      const roots = new Set((await namesIn(content)).map((name) => join(content, name)));
      for (const [root, place] of places) {
        if (dirname(root) !== content) continue;
        place.isOfDeleted = true;
        roots.add(root);
      }
      for (const root of roots) await removeDeleted(root);
    },
  };
}

function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

async function bytesBelow(root: string): Promise<number> {
  let bytes = 0;
  try {
    for await (const path of filesBelow(root, MAX_ENTRIES)) {
      bytes += await stat(path).then(
        ({ size }) => size,
        () => 0,
      );
    }
  } catch {
    // It was removed meanwhile.
  }
  return bytes;
}
