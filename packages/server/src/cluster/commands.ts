// Commands that drain and resume servers.
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import type { Clock } from '../platform/clock.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import {
  ALL_SERVERS,
  insertDrained,
  listDrained,
  removeAllDrained,
  removeDrained,
  type DrainedServerRow,
} from './drain-store.ts';
import type { Drain } from './drain.ts';
import { listHeartbeats } from './heartbeat-store.ts';

export interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly drain: Drain;
}

export interface ServerNames {
  /** Names of the running servers. */
  readonly running: ReadonlySet<string>;
  readonly drained: readonly DrainedServerRow[];
}

export async function readServers(
  { storage, drain }: Pick<Parts, 'storage' | 'drain'>,
  db: Executor = storage.db,
): Promise<ServerNames> {
  const heartbeats = storage.isShared ? await listHeartbeats(db) : [];
  const names = heartbeats.flatMap(({ name }) => name ?? []);
  return { running: new Set([drain.server, ...names].toSorted()), drained: await listDrained(db) };
}

/** @param server its name; undefined for all. @throws ApiError 4 */
export async function drainServers(parts: Parts, caller: Caller, server?: string): Promise<void> {
  const { storage, clock, audit, drain } = parts;
  await storage.write(async (tx) => {
    if (server !== undefined) await requireKnown(parts, tx, server);
    const name = server ?? ALL_SERVERS;
    await insertDrained(tx, { name, drained_time: clock.now(), drained_by: caller.username });
    await audit(tx, caller, 'close_server', `Starts no more processes on ${shown(parts, server)}`);
  });
  await drain.followEverywhere();
}

/** @param server its name; undefined for all. @throws ApiError 4, and 25 for a single server while all are drained */
export async function resumeServers(parts: Parts, caller: Caller, server?: string): Promise<void> {
  const { storage, audit, drain } = parts;
  await storage.write(async (tx) => {
    if (server === undefined) await removeAllDrained(tx);
    else {
      const drained = await requireKnown(parts, tx, server);
      if (drained.some(({ name }) => name === ALL_SERVERS))
        throw errors.invalidParameter({
          message: 'All servers drain, those that start later included: resume all of them.',
        });
      await removeDrained(tx, server);
    }
    await audit(tx, caller, 'open_server', `Starts processes again on ${shown(parts, server)}`);
  });
  await drain.followEverywhere();
}

/** Returns the drained servers. */
async function requireKnown(
  parts: Parts,
  tx: Executor,
  server: string,
): Promise<readonly DrainedServerRow[]> {
  const { running, drained } = await readServers(parts, tx);
  const known = [...running, ...drained.map(({ name }) => name).filter((name) => name !== ALL_SERVERS)];
  if (known.includes(server)) return drained;
  throw errors.notFound({ message: `There is no such server. Servers: ${[...new Set(known)].join(', ')}.` });
}

function shown({ storage }: Parts, server: string | undefined): string {
  if (server !== undefined) return server;
  return storage.isShared ? 'all servers' : 'this server';
}
