// Rows by which the servers of a database show each other that they live.
import { sql } from 'kysely';
import type { Executor } from '../platform/database/storage.ts';

export interface HeartbeatRow {
  readonly node: string;
  /** Another number at each sign of life. */
  readonly beat: number;
  /** The same after a restart; null of a server of an older version. */
  readonly name: string | null;
}

export async function showHeartbeat(db: Executor, node: string, name: string): Promise<void> {
  await db
    .insertInto('server_life')
    .values({ node, beat: 1, name })
    .onConflict((conflict) => conflict.column('node').doUpdateSet({ beat: sql`server_life.beat + 1` }))
    .execute();
}

export function listHeartbeats(db: Executor): Promise<HeartbeatRow[]> {
  return db.selectFrom('server_life').selectAll().execute();
}

/** Declares a server gone. @param beat its last one, after which there must be none; null: whatever it is */
export async function removeHeartbeat(db: Executor, node: string, beat: number | null): Promise<boolean> {
  let query = db.deleteFrom('server_life').where('node', '=', node);
  if (beat !== null) query = query.where('beat', '=', beat);
  return (await query.executeTakeFirst()).numDeletedRows > 0n;
}
