// A directory that belongs to one process, among others of its kind: the lock in it, which the system releases with the
// process, tells whether somebody still uses it.
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { takeAlone } from './take-alone.ts';

const LOCK = 'lock';

/** Creates the directory, with those above. It gets its name with the lock held: without, it would be a leftover. */
export function holdDirectory(path: string): Disposable {
  const unlocked = join(dirname(path), `new-${basename(path)}`);
  mkdirSync(unlocked, { recursive: true, mode: 0o711 });
  const lock = new DatabaseSync(join(unlocked, LOCK));
  try {
    takeAlone(lock);
    renameSync(unlocked, path);
  } catch (error) {
    lock.close();
    throw error;
  }
  return { [Symbol.dispose]: () => lock.close() };
}

/** Holds a directory whose process is gone, to remove it. Null if it is in use, or was not made by `holdDirectory`. */
export function holdLeft(path: string): Disposable | null {
  const file = join(path, LOCK);
  if (!existsSync(file)) return null;
  const lock = new DatabaseSync(file);
  if (takeAlone(lock)) return { [Symbol.dispose]: () => lock.close() };
  lock.close();
  return null;
}
