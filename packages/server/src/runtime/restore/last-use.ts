// The last use of something restored: the modification time of its directory, which nothing else changes.
import { lstat, utimes } from 'node:fs/promises';
import type { Micros } from '../../platform/database/schema.ts';

/** Runs work exclusively, across all servers of the data directory. What it marks as used is not evicted afterwards. */
export type Exclusive = <T>(work: () => Promise<T>) => Promise<T>;

/** Returns false if the directory is gone. */
export function markUsed(path: string, time: Micros): Promise<boolean> {
  const seconds = time / 1_000_000;
  return utimes(path, seconds, seconds).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}

/** Null if the directory is gone. */
export function lastUse(path: string): Promise<Micros | null> {
  return lstat(path).then(
    ({ mtimeMs }) => mtimeMs * 1000,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    },
  );
}
