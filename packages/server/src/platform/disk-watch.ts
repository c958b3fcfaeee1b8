// Checks the free space of the data directory every minute: below the reserve, logs a warning and tells administrators.
import { statfs } from 'node:fs/promises';
import type { Logger } from 'pino';

export interface DiskRoomLeft {
  /** Bytes. */
  readonly free: number;
  readonly reserve: number;
}

export interface DiskWatch extends Disposable {
  /** As of the last check; null before the first. */
  readonly room: DiskRoomLeft | null;
  /** Whether free space is below the reserve: uploads and deploys are refused. */
  readonly isLow: boolean;
  /** Checks now. Never rejects. */
  look(): Promise<void>;
}

export interface DiskWatchOptions {
  readonly directory: string;
  /** Bytes. */
  readonly reserve: number;
  readonly log: Logger;
  /** Free bytes of a directory's disk. */
  readonly freeIn?: (directory: string) => Promise<number>;
}

const LOOK_MS = 60_000;
/** Checks until a warning is repeated: an hour. */
const QUIET = 60;

export function startDiskWatch({ directory, reserve, log, freeIn = freeBytes }: DiskWatchOptions): DiskWatch {
  let room: DiskRoomLeft | null = null;
  let quiet = 0;
  const isLow = () => room !== null && room.free < room.reserve;

  async function look(): Promise<void> {
    const wasLow = isLow();
    try {
      room = { free: await freeIn(directory), reserve };
    } catch (error) {
      log.error(error, 'looking at the disk of %s', directory);
      return;
    }
    if (!isLow()) {
      if (wasLow) log.info(room, 'the disk has room again: uploads and deploys are accepted');
      quiet = 0;
      return;
    }
    if (quiet === 0)
      log.warn(
        room,
        'the disk is almost full: uploads and deploys are refused until %d MiB are free (Applications.DiskReserve)',
        Math.ceil(reserve / 2 ** 20),
      );
    quiet = (quiet + 1) % QUIET;
  }

  const timer = setInterval(() => void look(), LOOK_MS).unref();
  return {
    get room() {
      return room;
    },
    get isLow() {
      return isLow();
    },
    look,
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}
