// Claims a data directory: one server over SQLite, any number over one PostgreSQL database.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface Claim extends Disposable {
  /** Whether no other server uses it: leftovers belong to one that is gone. Nobody else gets in before `share`. */
  readonly isAlone: boolean;
  /** Allows other servers. */
  share(): void;
}

export class DataDirectoryInUse extends Error {
  constructor(dataDir: string) {
    super(
      `another server uses ${dataDir}: stop it, give this one a Server.DataDir of its own, or let both use one PostgreSQL database`,
    );
  }
}

/** Milliseconds that another starting server may take to clean up. */
const WAIT_MS = 60_000;

/**
 * The claim is a file lock, which the system releases with the process, however it ends.
 * @param exclusive whether no other server may use it at the same time
 * @throws if another server has it
 */
export function claimDataDirectory(dataDir: string, { exclusive }: { exclusive: boolean }): Claim {
  const lock = new DatabaseSync(join(dataDir, 'lock'));
  const share = () => {
    lock.exec(`pragma busy_timeout = ${WAIT_MS}`);
    // A transaction that has read keeps others from writing.
    lock.exec('begin; select * from sqlite_schema');
  };
  const isAlone = takeAlone(lock);
  if (!isAlone && exclusive) {
    lock.close();
    throw new DataDirectoryInUse(dataDir);
  }
  if (!isAlone) share();
  return {
    isAlone,
    share() {
      if (!isAlone || exclusive) return;
      lock.exec('rollback');
      share();
    },
    [Symbol.dispose]: () => lock.close(),
  };
}

function takeAlone(lock: DatabaseSync): boolean {
  try {
    lock.exec('begin exclusive');
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    return false;
  }
}

const SQLITE_BUSY = 5;
