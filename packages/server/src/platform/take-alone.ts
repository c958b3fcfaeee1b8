// File locks, as Node.js has none: those of SQLite, which the system releases with the process, however it ends.
import type { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

/** Whether nobody else holds it: then nobody else gets it until it is closed. */
export function takeAlone(lock: DatabaseSync): boolean {
  try {
    // Without a file beside it, which would keep its name when the directory gets another.
    lock.exec('pragma journal_mode = memory; begin exclusive');
    return true;
  } catch (error) {
    if (!isBusy(error)) throw error;
    return false;
  }
}

/** Whether somebody else holds it. */
export const isBusy = (error: unknown): boolean => (error as { errcode?: number }).errcode === SQLITE_BUSY;
