// Disk usage of deleted files that processes still hold open: du does not see them.
import { readdir, readFile, stat } from 'node:fs/promises';
import { childrenOf } from './descendants.ts';

const BLOCK = 512;
/** Line of `maps` for a mapped deleted file. */
const MAPPED = /^([0-9a-f]+-[0-9a-f]+) .* \(deleted\)$/gm;

/**
 * Bytes of deleted files that a process tree has open or mapped.
 * @param paths on whose disks they count: others, such as tmpfs, do not
 */
export async function bytesOfDeleted(pid: number, paths: readonly string[]): Promise<number> {
  const disks = new Set(await Promise.all(paths.map(async (path) => (await stat(path).catch(gone))?.dev)));
  const sizes = new Map<string, number>();
  for (const one of await withDescendants(pid)) {
    const names = await readdir(`/proc/${one}/fd`).catch(() => []);
    const maps = await readFile(`/proc/${one}/maps`, 'latin1').catch(() => '');
    const files = names.map((name) => `/proc/${one}/fd/${name}`);
    for (const [, range] of maps.matchAll(MAPPED)) files.push(`/proc/${one}/map_files/${range}`);
    for (const file of files) {
      const found = await stat(file).catch(gone);
      if (found?.isFile() && found.nlink === 0 && disks.has(found.dev))
        sizes.set(`${found.dev} ${found.ino}`, found.blocks * BLOCK);
    }
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

async function withDescendants(pid: number): Promise<Set<number>> {
  const all = new Set([pid]);
  for (const one of all) for (const child of await childrenOf(one)) all.add(child);
  return all;
}

/** Processes may end, and descriptors close, during the check. */
function gone(): null {
  return null;
}
