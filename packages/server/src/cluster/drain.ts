// Whether this server starts processes: follows what the database says of this server or of all.
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { splitAddress } from '../http/listen-address.ts';
import type { Storage } from '../platform/database/storage.ts';
import { ALL_SERVERS, listDrained } from './drain-store.ts';

export interface Drain {
  /** The name of this server. */
  readonly server: string;
  /** Applies the state in the database on this server. */
  follow(): Promise<void>;
  /** Applies it on all servers of the database. */
  followEverywhere(): Promise<void>;
}

export interface DrainOptions {
  readonly storage: Storage;
  readonly server: string;
  readonly log: Logger;
  readonly applications: { isClosed: boolean };
  /** Called when processes may start again. */
  readonly onResume: () => void;
}

/** Event: servers were drained or resumed. */
export const DRAINED = 'drained';

/** A name that stays the same over restarts; servers on one machine differ in their port. */
export function serverName(config: { readonly 'HTTP.Listen': string }): string {
  return `${hostname()}:${splitAddress(config['HTTP.Listen']).port}`;
}

export function createDrain({ storage, server, log, applications, onResume }: DrainOptions): Drain {
  let looking: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    const drained = await listDrained(storage.db);
    const isClosed = drained.some(({ name }) => name === ALL_SERVERS || name === server);
    if (isClosed === applications.isClosed) return;
    applications.isClosed = isClosed;
    log.info(isClosed ? 'drains: no more processes start' : 'resumes: processes start again');
    if (!isClosed) onResume();
  }

  /** Serialized: the last state read is the one that applies. */
  function follow(): Promise<void> {
    const before = looking;
    const looked = before.catch(() => undefined).then(look);
    looking = looked;
    return looked;
  }

  return {
    server,
    follow,
    async followEverywhere() {
      storage.events.publish(DRAINED);
      await follow();
    },
  };
}
