// Database queries of monitoring.
import { sql } from 'kysely';
import type { Executor } from '../platform/database/storage.ts';

/** @throws if the database does not respond */
export async function ping(db: Executor): Promise<void> {
  await sql`select 1`.execute(db);
}

/** Unfinished tasks by kind. */
export function countOpenTasks(db: Executor): Promise<{ kind: string; count: number }[]> {
  return db
    .selectFrom('task')
    .select((e) => ['kind', e.fn.countAll<number>().as('count')])
    .where('finished', '=', 0)
    .groupBy('kind')
    .execute();
}

/** Running processes of content by server. */
export function countOpenJobs(db: Executor): Promise<{ node: string; count: number }[]> {
  return db
    .selectFrom('job')
    .select((e) => ['node', e.fn.countAll<number>().as('count')])
    .where('ended', 'is', null)
    .groupBy('node')
    .execute();
}
