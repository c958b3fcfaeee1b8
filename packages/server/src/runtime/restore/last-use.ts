// When something restored was used last: the time of its directory, which nothing else changes.
import { lstat, utimes } from 'node:fs/promises';
import type { Micros } from '../../platform/database/schema.ts';

/**
 * Runs work that nobody else runs at the same time, on any server of the data directory. What is marked as used in
 * its turn is not evicted in the next one.
 */
export type Exclusive = <T>(work: () => Promise<T>) => Promise<T>;

/** Answers false when the directory is gone. */
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

/** Null when the directory is gone. */
export function lastUse(path: string): Promise<Micros | null> {
  return lstat(path).then(
    ({ mtimeMs }) => mtimeMs * 1000,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    },
  );
}
