// How much of a disk a cache may use.
import { statfs } from 'node:fs/promises';

/**
 * A part of what is free or used by the cache already: the rest is for uploads and deploys.
 * @param reserve bytes that stay free for everything else
 */
export function shareOfDisk(
  directory: string,
  reserve: number,
  share: number,
): (bytes: number) => Promise<number> {
  return async (bytes) => {
    const { bavail, bsize } = await statfs(directory);
    return Math.max(0, bavail * bsize - reserve + bytes) * share;
  };
}
