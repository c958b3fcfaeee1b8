// Where a directory that may not exist yet would be made.
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from './errors.ts';

/** The directory itself, or its closest existing parent. */
export function nearest(path: string): string {
  return existsSync(path) ? path : nearest(dirname(path));
}

/** Whether its disk is read-only: a recursive mkdir says ENOENT then. */
export function isReadOnly(path: string): boolean {
  try {
    accessSync(nearest(path), constants.W_OK);
    return false;
  } catch (error) {
    return errnoOf(error) === 'EROFS';
  }
}
