// Keeps uploads and extraction from filling the disk: a reserve stays free, and an upload that would use it is refused
// with the reason.
import { statfs } from 'node:fs/promises';
import { noRoom } from './refusals.ts';

export interface DiskRoom {
  /** To be called before writing this many bytes. @throws ApiError 134 if they would use the reserve */
  take(bytes: number): Promise<void>;
}

/** Bytes written between two checks of the disk, which other processes fill as well. */
const LOOK_AGAIN = 32 * 2 ** 20;
/** Minimum disk usage of a file or directory. */
const BLOCK = 4096;

/** @param directory on the disk that is written to. @param reserve bytes that stay free. */
export function createDiskRoom(directory: string, reserve: number): DiskRoom {
  let room = 0;
  let looked = false;
  let taken = 0;
  return {
    async take(bytes) {
      const wanted = bytes + BLOCK;
      if (!looked || taken + wanted > Math.min(room, LOOK_AGAIN)) {
        const { bavail, bsize } = await statfs(directory);
        room = bavail * bsize - reserve;
        looked = true;
        taken = 0;
        if (wanted > room) throw noRoom(Math.max(0, room), reserve);
      }
      taken += wanted;
    },
  };
}
