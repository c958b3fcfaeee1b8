// Database access for drained servers, which start no more processes.
import type { DrainedServerTable } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';
import { listHeartbeats } from './heartbeat-store.ts';

export type DrainedServerRow = DrainedServerTable;

/** The name that stands for all servers. */
export const ALL_SERVERS = '';

export function listDrained(db: Executor): Promise<DrainedServerRow[]> {
  return db.selectFrom('drained_server').selectAll().orderBy('name').execute();
}

/** Keeps the name of the person who drained it first. */
export async function insertDrained(db: Executor, row: DrainedServerRow): Promise<void> {
  await db
    .insertInto('drained_server')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

/** Any running server that starts processes, other than this one. */
export async function findOpenServer(db: Executor, node: string): Promise<string | undefined> {
  const drained = new Set((await listDrained(db)).map(({ name }) => name));
  if (drained.has(ALL_SERVERS)) return undefined;
  const others = (await listHeartbeats(db)).filter((one) => one.node !== node);
  const open = others.filter(({ name }) => name === null || !drained.has(name));
  return open[Math.floor(Math.random() * open.length)]?.node;
}

export async function removeDrained(db: Executor, name: string): Promise<void> {
  await db.deleteFrom('drained_server').where('name', '=', name).execute();
}

export async function removeAllDrained(db: Executor): Promise<void> {
  await db.deleteFrom('drained_server').execute();
}
