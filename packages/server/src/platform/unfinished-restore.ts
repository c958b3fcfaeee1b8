// Marks a data directory while a backup is restored to it: after a kill or a power cut, some of its files are missing.
import { existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { takeAlone } from './take-alone.ts';

/** Its name in the data directory. */
export const RESTORE_MARK = 'restore-unfinished';

export function isRestoreUnfinished(dataDir: string): boolean {
  return existsSync(join(dataDir, RESTORE_MARK));
}

/** Closing it lets another restore begin. @throws if one to the same directory runs */
export async function beginRestore(dataDir: string): Promise<Disposable> {
  const file = join(dataDir, RESTORE_MARK);
  {
    await using handle = await open(file, 'a', 0o600);
    await handle.sync();
  }
  const lock = new DatabaseSync(file);
  if (!takeAlone(lock)) {
    lock.close();
    throw new Error(`another restore to ${dataDir} is running`);
  }
  return { [Symbol.dispose]: () => lock.close() };
}

/** To be called once all of it is there, or nothing. */
export async function endRestore(dataDir: string): Promise<void> {
  await rm(join(dataDir, RESTORE_MARK), { force: true });
}

/** @throws if a restore to it was interrupted */
export function requireRestored(dataDir: string): void {
  if (isRestoreUnfinished(dataDir))
    throw new Error(
      `a restore to ${dataDir} did not end, and files are missing: run it again (npm run restore -- FILE)`,
    );
}
