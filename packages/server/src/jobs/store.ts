// Database access for the processes of applications.
import { sql, type Insertable, type Selectable } from 'kysely';
import type { ContentTable, JobTable, Micros } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';

export type JobRow = Selectable<JobTable>;
/** The content of a job. */
export type OwnerOfJob = Pick<ContentTable, 'name' | 'run_as'>;

export interface JobEnd {
  readonly ended: Micros;
  readonly exit_code: number | null;
  readonly outcome: string;
}

export async function insertJob(db: Executor, row: Insertable<JobTable>): Promise<void> {
  await db.insertInto('job').values(row).execute();
}

/** Outcome of a process whose server is gone. */
const LOST = 'The server that ran it stopped';
/** Outcome of a process that still runs and is to end. */
const UNWANTED = 'Another server stopped it';

/** Records the end once; a process that was only thought to be lost gets the end reported by its own server. */
export async function endJob(db: Executor, key: string, end: JobEnd): Promise<void> {
  await db
    .updateTable('job')
    .set(end)
    .where('key', '=', key)
    .where((eb) => eb.or([eb('ended', 'is', null), eb('outcome', '=', LOST)]))
    .execute();
}

/** Applications by their newest process since that time; newest first. */
export async function recentlyRun(db: Executor, since: Micros, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('job')
    .innerJoin('content', 'content.guid', 'job.content_guid')
    .select('job.content_guid')
    .where('job.started', '>', since)
    .where('content.launch', 'is not', null)
    .where('content.locked', '=', 0)
    .groupBy('job.content_guid')
    .orderBy(({ fn }) => fn.max('job.started'), 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ content_guid }) => content_guid);
}

/** Newest first. */
export function listJobs(db: Executor, contentGuid: string): Promise<JobRow[]> {
  return db
    .selectFrom('job')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .orderBy('started', 'desc')
    .execute();
}

export function listedJobs(db: Executor): Promise<Pick<JobRow, 'content_guid' | 'key'>[]> {
  return db.selectFrom('job').select(['content_guid', 'key']).execute();
}

export function endedJobs(db: Executor): Promise<Pick<JobRow, 'content_guid' | 'key'>[]> {
  return db.selectFrom('job').select(['content_guid', 'key']).where('ended', 'is not', null).execute();
}

/** Running jobs of all content, with their content. */
export function openJobs(db: Executor): Promise<(JobRow & OwnerOfJob)[]> {
  return db
    .selectFrom('job')
    .innerJoin('content', 'content.guid', 'job.content_guid')
    .selectAll('job')
    .select(['content.name', 'content.run_as'])
    .where('ended', 'is', null)
    .orderBy('pid')
    .execute();
}

/** Bundles of a content item with processes on any server. */
export async function bundlesThatRun(db: Executor, contentGuid: string): Promise<number[]> {
  const rows = await db
    .selectFrom('job')
    .select('bundle_id')
    .distinct()
    .where('content_guid', '=', contentGuid)
    .where('ended', 'is', null)
    .execute();
  return rows.map(({ bundle_id }) => bundle_id);
}

export function findJob(db: Executor, contentGuid: string, key: string): Promise<JobRow | undefined> {
  return db
    .selectFrom('job')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .where('key', '=', key)
    .executeTakeFirst();
}

export async function removeJob(db: Executor, key: string): Promise<void> {
  await db.deleteFrom('job').where('key', '=', key).execute();
}

/** Reopens jobs declared lost: their server was only paused, or unreachable. */
export async function reopenJobs(db: Executor, node: string, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await db
    .updateTable('job')
    .set({ ended: null, outcome: null })
    .where('node', '=', node)
    .where('key', 'in', keys)
    .where('outcome', '=', LOST)
    .execute();
}

/** Marks the processes of a content item to be ended by all servers but these; returns those servers. */
export async function stopJobsExceptOn(
  db: Executor,
  contentGuid: string,
  nodes: readonly string[],
): Promise<string[]> {
  const rows = await db
    .updateTable('job')
    .set({ outcome: UNWANTED })
    .where('content_guid', '=', contentGuid)
    .where('node', 'not in', nodes)
    .where('ended', 'is', null)
    .returning('node')
    .execute();
  return [...new Set(rows.map(({ node }) => node))];
}

/** Those of `keys` that another server wants to end. */
export async function unwantedJobs(db: Executor, keys: readonly string[]): Promise<string[]> {
  if (keys.length === 0) return [];
  const rows = await db
    .selectFrom('job')
    .select('key')
    .where('key', 'in', keys)
    .where('outcome', '=', UNWANTED)
    .execute();
  return rows.map(({ key }) => key);
}

export async function heartbeatJobs(db: Executor, node: string, now: Micros): Promise<void> {
  await db
    .updateTable('job')
    .set({ heartbeat: now })
    .where('node', '=', node)
    .where('ended', 'is', null)
    .execute();
}

/**
 * Ends open jobs and their sessions, as of their last heartbeat.
 * @param of one server, all, or those that are gone: whose heartbeat others no longer see. Clocks may differ
 */
export async function endLostJobs(
  db: Executor,
  of: { readonly node: string } | 'any' | 'gone',
  sessionGrace: Micros,
): Promise<number> {
  let open = db.selectFrom('job').selectAll().where('ended', 'is', null);
  if (of === 'gone')
    open = open.where('node', 'not in', (eb) => eb.selectFrom('server_life').select('server_life.node'));
  else if (of !== 'any') open = open.where('node', '=', of.node);
  const lost = await open.execute();
  for (const job of lost) {
    const until = job.heartbeat + sessionGrace;
    await endJob(db, job.key, {
      ended: job.heartbeat,
      exit_code: null,
      // A job that is to end is not reopened as running.
      outcome: job.outcome ?? LOST,
    });
    await db
      .updateTable('app_session')
      .set({ ended: sql<number>`case when started > ${until} then started else ${until} end` })
      .where('job_key', '=', job.key)
      .where('ended', 'is', null)
      .execute();
  }
  return lost.length;
}
