// A directory that belongs to one process, among others of its kind: the lock in it, which the system releases with the
// process, tells whether somebody still uses it.
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { takeAlone } from './take-alone.ts';

const LOCK = 'lock';
/** Its name until it is held: another server that starts would take the lock of a leftover. */
const NOT_HELD = 'new-lock';

/** Creates the directory. It gets its name with the lock held: without, it would be a leftover. */
export function holdDirectory(path: string): Disposable {
  const unlocked = join(dirname(path), `new-${basename(path)}`);
  mkdirSync(unlocked, { mode: 0o711 });
  const held = holdOwn(unlocked);
  try {
    renameSync(unlocked, path);
  } catch (error) {
    held[Symbol.dispose]();
    throw error;
  }
  return held;
}

/** Holds a directory that this process has created. @throws also where the file system has no locks */
export function holdOwn(path: string): Disposable {
  const lock = new DatabaseSync(join(path, NOT_HELD));
  try {
    takeAlone(lock);
    renameSync(join(path, NOT_HELD), join(path, LOCK));
  } catch (error) {
    lock.close();
    throw error;
  }
  return { [Symbol.dispose]: () => lock.close() };
}

/** Holds a directory whose process is gone, to remove it. Null if it is in use, or was never held. */
export function holdLeft(path: string): Disposable | null {
  const lock = openLock(join(path, LOCK));
  if (lock === null) return null;
  if (takeAlone(lock)) return { [Symbol.dispose]: () => lock.close() };
  lock.close();
  return null;
}

/** Null without a file, or if its directory is removed meanwhile. */
function openLock(file: string): DatabaseSync | null {
  if (!existsSync(file)) return null;
  try {
    return new DatabaseSync(file);
  } catch (error) {
    if (existsSync(file)) throw error;
    return null;
  }
}
