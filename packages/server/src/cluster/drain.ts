// Whether this server starts processes: the database says so, for this server or for all, and it follows at once.
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { splitAddress } from '../http/listen-address.ts';
import type { Storage } from '../platform/database/storage.ts';
import { ALL_SERVERS, listDrained } from './drain-store.ts';

export interface Drain {
  /** The name of this server. */
  readonly server: string;
  /** Does here what the database says. */
  follow(): Promise<void>;
  /** Does it on all servers of the database. */
  followEverywhere(): Promise<void>;
}

export interface DrainOptions {
  readonly storage: Storage;
  readonly server: string;
  readonly log: Logger;
  readonly applications: { isClosed: boolean };
  /** Processes may start again. */
  readonly onResume: () => void;
}

/** Event: a server or all of them drain, or no longer do. */
export const DRAINED = 'drained';

/** What a server is called in the same place over its restarts: two on one machine listen on different ports. */
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

  /** One after the other: what is looked up last holds. */
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
