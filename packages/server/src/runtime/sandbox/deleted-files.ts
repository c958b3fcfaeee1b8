// Disk usage of deleted files that processes still hold open: du does not see them.
import { createReadStream, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { collectBytes } from '@pressroom/api/contract';
import { childrenOf } from './descendants.ts';

const BLOCK = 512;
const NONE = Buffer.alloc(0);
/** Line of `maps` for a mapped deleted file. The names in `map_files` have no leading zeros. */
const MAPPED = /^0*([0-9a-f]+-)0*([0-9a-f]+) .* \(deleted\)$/gm;
/** Bytes of `maps` to read: content decides how long the paths in it are, and how many lines it has. */
const MAX_MAPS = 2 ** 22;
/** Synchronous calls cost a tenth of asynchronous ones; milliseconds until the event loop gets a turn. */
const BREATH_MS = 5;

/**
 * Bytes of deleted files that a process tree has open or mapped.
 * @param paths on whose disks they count: others, such as tmpfs, do not
 */
export async function bytesOfDeleted(pid: number, paths: readonly string[]): Promise<number> {
  const disks = new Set(await Promise.all(paths.map(async (path) => (await stat(path).catch(gone))?.dev)));
  const sizes = new Map<string, number>();
  let since = performance.now();

  async function count(directory: string, names: readonly string[]): Promise<void> {
    for (const name of names) {
      const found = statOf(`${directory}/${name}`);
      if (found?.isFile() && found.nlink === 0 && disks.has(found.dev))
        sizes.set(`${found.dev} ${found.ino}`, found.blocks * BLOCK);
      if (performance.now() - since < BREATH_MS) continue;
      await setImmediate();
      since = performance.now();
    }
  }

  for (const one of await withDescendants(pid)) {
    // A thread can have open files of its own, and the first one can end before the others.
    const threads = await readdir(`/proc/${one}/task`).catch(() => []);
    for (const thread of threads) {
      const open = `/proc/${thread}/fd`;
      await count(open, await readdir(open).catch(() => []));
    }
    const live = await firstWithMaps(threads);
    if (live !== null) await count(`/proc/${live.thread}/map_files`, live.ranges);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

/** All threads have the same files mapped; one that has ended shows none. Ranges may be of files that exist. */
async function firstWithMaps(
  threads: readonly string[],
): Promise<{ thread: string; ranges: readonly string[] } | null> {
  for (const thread of threads) {
    const maps = await collectBytes(createReadStream(`/proc/${thread}/maps`), MAX_MAPS).catch(() => NONE);
    if (maps === null) return { thread, ranges: await readdir(`/proc/${thread}/map_files`).catch(() => []) };
    if (maps.length === 0) continue;
    const ranges = maps.toString('latin1').matchAll(MAPPED);
    return { thread, ranges: Array.from(ranges, ([, from = '', to = '']) => from + to) };
  }
  return null;
}

async function withDescendants(pid: number): Promise<Set<number>> {
  const all = new Set([pid]);
  for (const one of all) for (const child of await childrenOf(one)) all.add(child);
  return all;
}

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Processes may end, and descriptors close, during the check. */
function gone(): null {
  return null;
}
