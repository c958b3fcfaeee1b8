// Marks a data directory while a backup is restored to it: after a kill or a power cut, some of its files are missing.
import { existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Its name in the data directory. */
export const RESTORE_MARK = 'restore-unfinished';

export function isRestoreUnfinished(dataDir: string): boolean {
  return existsSync(join(dataDir, RESTORE_MARK));
}

export async function beginRestore(dataDir: string): Promise<void> {
  await using handle = await open(join(dataDir, RESTORE_MARK), 'w', 0o600);
  await handle.sync();
}

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
