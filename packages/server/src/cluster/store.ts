// Database access for the servers that share it, and for the processes of content on them.
import type { Selectable } from 'kysely';
import type { ClusterServerTable, Micros } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';

export type ServerRow = Selectable<ClusterServerTable>;

/** Inserts or renews the row of a server. */
export async function keepServer(db: Executor, row: ServerRow): Promise<void> {
  await db
    .insertInto('cluster_server')
    .values(row)
    .onConflict((conflict) => conflict.column('node').doUpdateSet({ heartbeat: row.heartbeat }))
    .execute();
}

export function listServers(db: Executor): Promise<ServerRow[]> {
  return db.selectFrom('cluster_server').selectAll().orderBy('node').execute();
}

/** @param heartbeat its last one, which must still be the last; absent for any */
export async function removeServer(db: Executor, node: string, heartbeat?: Micros): Promise<void> {
  let query = db.deleteFrom('cluster_server').where('node', '=', node);
  if (heartbeat !== undefined) query = query.where('heartbeat', '=', heartbeat);
  await query.execute();
}

/** The server that runs a process of a content item; null after its end. */
export async function nodeOfProcess(db: Executor, contentGuid: string, key: string): Promise<string | null> {
  const row = await db
    .selectFrom('job')
    .select('node')
    .where('key', '=', key)
    .where('content_guid', '=', contentGuid)
    .where('ended', 'is', null)
    .executeTakeFirst();
  return row?.node ?? null;
}

/** The servers that run processes of a bundle, earliest start first. */
export async function nodesOfBundle(db: Executor, contentGuid: string, bundleId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('job')
    .select('node')
    .where('content_guid', '=', contentGuid)
    .where('bundle_id', '=', bundleId)
    .where('ended', 'is', null)
    .orderBy('started')
    .execute();
  // Includes those that are about to start one.
  const starting = await db
    .selectFrom('process_place')
    .select('node')
    .where('content_guid', '=', contentGuid)
    .execute();
  return [...new Set([...rows, ...starting].map(({ node }) => node))];
}
