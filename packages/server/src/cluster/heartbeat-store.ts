// Database access for heartbeats.
import { sql } from 'kysely';
import type { Executor } from '../platform/database/storage.ts';

export interface HeartbeatRow {
  readonly node: string;
  /** Changes with each heartbeat. */
  readonly beat: number;
  /** Stays the same after a restart; null for a server of an older version. */
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

/** Whether it does what one server does for all: the first of those that run. */
export async function isFirstServer(db: Executor, node: string): Promise<boolean> {
  const { first } = await db
    .selectFrom('server_life')
    .select((eb) => eb.fn.min('node').as('first'))
    .executeTakeFirstOrThrow();
  return first === null || first === node;
}

/** Declares a server lost. @param beat its last heartbeat, which must still be the last; null for any */
export async function removeHeartbeat(db: Executor, node: string, beat: number | null): Promise<boolean> {
  let query = db.deleteFrom('server_life').where('node', '=', node);
  if (beat !== null) query = query.where('beat', '=', beat);
  return (await query.executeTakeFirst()).numDeletedRows > 0n;
}
