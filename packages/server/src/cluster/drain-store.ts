// Database access for drained servers, which start no more processes.
import { sql } from 'kysely';
import type { DrainedServerTable } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';

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

/** A running server that starts processes, other than this one. */
export async function findOpenServer(db: Executor, node: string): Promise<string | undefined> {
  const found = await db
    .selectFrom('server_life')
    .select('node')
    .where('node', '!=', node)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('drained_server')
            .select('drained_server.name')
            .where((eb) =>
              eb.or([
                eb('drained_server.name', '=', ALL_SERVERS),
                eb('drained_server.name', '=', eb.ref('server_life.name')),
              ]),
            ),
        ),
      ),
    )
    .orderBy(sql`random()`)
    .executeTakeFirst();
  return found?.node;
}

export async function removeDrained(db: Executor, name: string): Promise<void> {
  await db.deleteFrom('drained_server').where('name', '=', name).execute();
}

export async function removeAllDrained(db: Executor): Promise<void> {
  await db.deleteFrom('drained_server').execute();
}
