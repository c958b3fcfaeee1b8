// Claims a data directory: one server over SQLite, any number over one PostgreSQL database.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { holdDirectory } from './held-directory.ts';
import { isBusy, takeAlone } from './take-alone.ts';

export interface Claim extends Disposable {
  /** Whether no other server uses it: leftovers belong to one that is gone. Nobody else gets in before `share`. */
  readonly isAlone: boolean;
  /** Allows other servers. From here on `own` exists, and tells them that this server runs. */
  share(): void;
}

export class DataDirectoryInUse extends Error {
  constructor(dataDir: string) {
    super(
      `another server uses ${dataDir}: stop it, give this one a Server.DataDir of its own, or let both use one PostgreSQL database`,
    );
  }
}

/** Milliseconds that a program may take that has it alone without being a server. */
const WAIT_MS = 60_000;
/** Milliseconds between two attempts to get a turn. */
const AGAIN_MS = 20;

/**
 * No other server may use it at the same time. The claim is a file lock, which the system releases with the process,
 * however it ends.
 * @throws if another server has it
 */
export function claimDataDirectory(dataDir: string): Claim {
  const lock = openLock(dataDir);
  if (takeAlone(lock)) return { isAlone: true, share: () => undefined, [Symbol.dispose]: () => lock.close() };
  lock.close();
  throw new DataDirectoryInUse(dataDir);
}

/**
 * Other servers may use it, too. They start one after the other: two that ask for the lock at once would refuse each
 * other, and one could get it while another begins to share it. Waits as long as those before it take, however large
 * their database is; killed ones lose their turn.
 * @param own path of this server's own directory
 * @param onWait called if others are starting, or have it alone, with what is waited for
 * @param patience milliseconds until a server that does not share it counts as one, and no short-lived program
 * @throws if a server over SQLite has it
 */
export async function shareDataDirectory(
  dataDir: string,
  own: string,
  onWait: (what: string) => void,
  patience = WAIT_MS,
): Promise<Claim> {
  const turn = new DatabaseSync(join(dataDir, 'turn'));
  for (let isFirst = true; !takeAlone(turn); isFirst = false) {
    if (isFirst) onWait('until another server of this data directory has started');
    await delay(AGAIN_MS);
  }
  const lock = openLock(dataDir);
  let held: Disposable | null = null;
  const isAlone = takeAlone(lock);
  const endTurn = () => {
    if (turn.isOpen) turn.close();
  };
  const read = (timeout: number) => {
    lock.exec(`pragma busy_timeout = ${timeout}`);
    // A transaction that has read keeps others from writing.
    lock.exec('begin; select * from sqlite_schema');
  };
  const share = () => {
    try {
      read(0);
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (lock.isTransaction) lock.exec('rollback');
      onWait(`for the server, or another program, that uses ${dataDir} alone`);
      read(patience);
    }
    endTurn();
  };
  try {
    if (!isAlone) share();
  } catch (error) {
    lock.close();
    endTurn();
    throw isBusy(error) ? new DataDirectoryInUse(dataDir) : error;
  }
  return {
    isAlone,
    share() {
      mkdirSync(dirname(own), { recursive: true, mode: 0o711 });
      held = holdDirectory(own);
      if (!isAlone) return;
      lock.exec('rollback');
      share();
    },
    [Symbol.dispose]() {
      held?.[Symbol.dispose]();
      lock.close();
      endTurn();
    },
  };
}

const openLock = (dataDir: string) => new DatabaseSync(join(dataDir, 'lock'));
