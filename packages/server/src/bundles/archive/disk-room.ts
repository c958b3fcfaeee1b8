// Keeps uploads and unpacking from filling the disk: a reserve stays free, and running into it is a refusal with its reason.
import { statfs } from 'node:fs/promises';
import { noRoom } from './refusals.ts';

export interface DiskRoom {
  /** To be called before so many bytes are written. @throws ApiError 134 when they would go into the reserve */
  take(bytes: number): Promise<void>;
}

/** Bytes written between two looks at the disk, which others fill as well. */
const LOOK_AGAIN = 32 * 2 ** 20;
/** What a file or directory takes whatever is in it. */
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
