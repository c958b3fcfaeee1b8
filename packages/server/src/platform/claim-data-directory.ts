// Claims a data directory: one server over SQLite, any number over one PostgreSQL database.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { holdDirectory } from './held-directory.ts';
import { takeAlone } from './take-alone.ts';

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
/** Milliseconds: as long as the servers before it take, however large their database is. Killed ones lose their turn. */
const TURN_MS = 2 ** 31 - 1;

/**
 * The claim is a file lock, which the system releases with the process, however it ends.
 * @param options whether no other server may use it at the same time, or else the path of this server's own directory
 * @throws if another server has it
 */
export function claimDataDirectory(
  dataDir: string,
  options: { readonly exclusive: true } | { readonly exclusive: false; readonly own: string },
): Claim {
  const turn = options.exclusive ? null : takeTurn(dataDir);
  const lock = new DatabaseSync(join(dataDir, 'lock'));
  let held: Disposable | null = null;
  const share = () => {
    lock.exec(`pragma busy_timeout = ${WAIT_MS}`);
    // A transaction that has read keeps others from writing.
    lock.exec('begin; select * from sqlite_schema');
  };
  const isAlone = takeAlone(lock);
  if (!isAlone && options.exclusive) {
    lock.close();
    throw new DataDirectoryInUse(dataDir);
  }
  if (!isAlone) {
    share();
    turn?.close();
  }
  return {
    isAlone,
    share() {
      if (options.exclusive) return;
      mkdirSync(dirname(options.own), { recursive: true, mode: 0o711 });
      held = holdDirectory(options.own);
      if (!isAlone) return;
      lock.exec('rollback');
      share();
      turn?.close();
    },
    [Symbol.dispose]() {
      held?.[Symbol.dispose]();
      lock.close();
      if (turn?.isOpen === true) turn.close();
    },
  };
}

/**
 * Servers start one after the other: two that ask for the lock at once would refuse each other, and one could get it
 * while the other begins to share it. Held until it is shared.
 */
function takeTurn(dataDir: string): DatabaseSync {
  const turn = new DatabaseSync(join(dataDir, 'turn'), { timeout: TURN_MS });
  takeAlone(turn);
  return turn;
}
