// What monitoring asks the database.
import { sql } from 'kysely';
import type { Executor } from '../platform/database/storage.ts';

/** @throws when the database does not answer */
export async function ping(db: Executor): Promise<void> {
  await sql`select 1`.execute(db);
}

/** Tasks that have not ended, by kind. */
export function countOpenTasks(db: Executor): Promise<{ kind: string; count: number }[]> {
  return db
    .selectFrom('task')
    .select((e) => ['kind', e.fn.countAll<number>().as('count')])
    .where('finished', '=', 0)
    .groupBy('kind')
    .execute();
}

/** Processes of content that run, by the server that started them. */
export function countOpenJobs(db: Executor): Promise<{ node: string; count: number }[]> {
  return db
    .selectFrom('job')
    .select((e) => ['node', e.fn.countAll<number>().as('count')])
    .where('ended', 'is', null)
    .groupBy('node')
    .execute();
}
