// Rows of the servers that share a database, and where the processes of content run among them.
import type { Selectable } from 'kysely';
import type { ClusterServerTable, Micros } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';

export type ServerRow = Selectable<ClusterServerTable>;

/** Inserts the row of a server, or renews it. */
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

/** @param heartbeat its last one, after which there must be none; absent: whatever it is */
export async function removeServer(db: Executor, node: string, heartbeat?: Micros): Promise<void> {
  let query = db.deleteFrom('cluster_server').where('node', '=', node);
  if (heartbeat !== undefined) query = query.where('heartbeat', '=', heartbeat);
  await query.execute();
}

/** The server that a process of a content item runs on; null when it has ended. */
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

/** The servers that run processes of a bundle, the one that began first before the others. */
export async function nodesOfBundle(db: Executor, contentGuid: string, bundleId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('job')
    .select('node')
    .where('content_guid', '=', contentGuid)
    .where('bundle_id', '=', bundleId)
    .where('ended', 'is', null)
    .orderBy('started')
    .execute();
  // Those that are about to start one.
  const starting = await db
    .selectFrom('process_place')
    .select('node')
    .where('content_guid', '=', contentGuid)
    .execute();
  return [...new Set([...rows, ...starting].map(({ node }) => node))];
}
