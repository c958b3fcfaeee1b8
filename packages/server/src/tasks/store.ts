// Database access for tasks and their output.
import { setImmediate } from 'node:timers/promises';
import type { TaskEndReason } from '@pressroom/api/contract';
import type { Selectable } from 'kysely';
import type { Micros, TaskTable } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';
import { writeUnanswered } from '../platform/database/unanswered.ts';

export type TaskRow = Selectable<TaskTable>;

/** Who may write to a task: other servers have another node, and a takeover another attempt. */
export interface Holder {
  readonly node: string;
  readonly attempt: number;
}

/** A database limits the values of a statement. */
const RENEWED_TOGETHER = 500;

const NEW = {
  finished: 0,
  code: 0,
  error: '',
  end_reason: null,
  lines: 0,
  stages: '[]',
  finished_time: null,
  variant_key: null,
  mails: 0,
  preview: null,
  begun: 0,
  attempt: 0,
  losses: 0,
} as const satisfies Partial<TaskRow>;

/** The key of a task for `Storage.write`, and its event. */
export const aboutTask = (id: string): string => `${TASK}${id}`;
/** Prefix of events about tasks. */
export const TASK = 'task:';

export type NewTask = Omit<TaskRow, keyof typeof NEW> & Partial<TaskRow>;

/** To be called in a transaction. */
export async function insertTask(tx: Executor, row: NewTask): Promise<TaskRow> {
  const task: TaskRow = { ...NEW, ...row };
  await writeUnanswered(tx, tx.insertInto('task').values(task));
  return task;
}

export function findTask(db: Executor, id: string): Promise<TaskRow | undefined> {
  return db.selectFrom('task').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function readLines(db: Executor, id: string, first: number): Promise<string[]> {
  const rows = await db
    .selectFrom('task_output')
    .select('body')
    .where('task_id', '=', id)
    .where('line', '>=', first)
    .orderBy('line')
    .execute();
  return rows.map((row) => row.body);
}

/**
 * Appends lines after the first `from`, and updates the stages; to be called in a transaction, as rows and count belong
 * together. Returns false without writing if somebody else has the task.
 */
export async function appendLines(
  db: Executor,
  id: string,
  {
    from,
    lines,
    stages,
  }: { readonly from: number; readonly lines: readonly string[]; readonly stages: string },
  { node, attempt }: Holder,
): Promise<boolean> {
  const counted = await db
    .updateTable('task')
    .set({ lines: from + lines.length, stages })
    .where('id', '=', id)
    .where('node', '=', node)
    .where('attempt', '=', attempt)
    .executeTakeFirst();
  if (counted.numUpdatedRows === 0n) return false;
  const rows = lines.map((body, index) => ({ task_id: id, line: from + index, body }));
  if (rows.length === 0) return true;
  // They exist already if the response to an earlier attempt was lost.
  await db
    .insertInto('task_output')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return true;
}

export interface TaskEnd {
  readonly code: number;
  readonly error: string;
  readonly reason: TaskEndReason | null;
  readonly time: Micros;
}

/**
 * Ends a task once; returns false if it had ended before.
 * @param holder the only one who may end it; absent for anybody
 */
export async function finishTask(db: Executor, id: string, end: TaskEnd, holder?: Holder): Promise<boolean> {
  let query = db
    .updateTable('task')
    .set({ finished: 1, code: end.code, error: end.error, end_reason: end.reason, finished_time: end.time })
    .where('id', '=', id)
    .where('finished', '=', 0);
  if (holder) query = query.where('node', '=', holder.node).where('attempt', '=', holder.attempt);
  return (await query.executeTakeFirst()).numUpdatedRows > 0n;
}

export async function setTaskBundle(db: Executor, id: string, bundleId: number): Promise<void> {
  await db.updateTable('task').set({ bundle_id: bundleId }).where('id', '=', id).execute();
}

/** Renews those of `ids` that this server still holds. */
export async function renewLeases(
  db: Executor,
  node: string,
  ids: readonly string[],
  until: Micros,
): Promise<void> {
  for (let from = 0; from < ids.length; from += RENEWED_TOGETHER) {
    await db
      .updateTable('task')
      .set({ lease_until: until })
      .where('finished', '=', 0)
      .where('node', '=', node)
      .where('id', 'in', ids.slice(from, from + RENEWED_TOGETHER))
      .execute();
  }
}

/** Newest first. @param kinds all if empty */
export function recentTasks(
  db: Executor,
  contentGuid: string,
  limit: number,
  kinds: readonly string[] = [],
): Promise<TaskRow[]> {
  return db
    .selectFrom('task')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .$if(kinds.length > 0, (query) => query.where('kind', 'in', kinds))
    .orderBy('created_time', 'desc')
    .limit(limit)
    .execute();
}

/** The last rendering with the values of the source, apart from deploys. */
export function findLastRender(db: Executor, contentGuid: string): Promise<TaskRow | undefined> {
  return db
    .selectFrom('task')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .where('kind', '=', 'render')
    .where('variant_key', 'is', null)
    .orderBy('created_time', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Newest first. @param variant null for the values of the source */
export function recentScheduledRenders(
  db: Executor,
  contentGuid: string,
  variant: string | null,
  limit: number,
): Promise<TaskRow[]> {
  return db
    .selectFrom('task')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .where('kind', '=', 'render')
    .where('mails', '=', 1)
    .where('variant_key', variant === null ? 'is' : '=', variant)
    .orderBy('created_time', 'desc')
    .limit(limit)
    .execute();
}

/** Its deploys, as drafts or live, oldest first; the newest hundred. */
export async function tasksOfBundle(db: Executor, bundleId: number): Promise<TaskRow[]> {
  const newest = await db
    .selectFrom('task')
    .selectAll()
    .where('bundle_id', '=', bundleId)
    .where('content_guid', '=', db.selectFrom('bundle').select('content_guid').where('id', '=', bundleId))
    .where('kind', 'in', ['deploy', 'draft'])
    .orderBy('created_time', 'desc')
    .limit(100)
    .execute();
  return newest.toReversed();
}

/** Whether the last deploy of each content item that ran to its end succeeded, as long as it is kept. */
export async function lastDeploys(db: Executor, contents: readonly string[]): Promise<Map<string, boolean>> {
  if (contents.length === 0) return new Map();
  const rows = await db
    .selectFrom('task')
    .select(['content_guid', 'code'])
    .where('content_guid', 'in', contents)
    .where('kind', '=', 'deploy')
    .where('finished', '=', 1)
    .where((eb) => eb.or([eb('end_reason', 'is', null), eb('end_reason', '!=', 'cancelled')]))
    .orderBy('created_time')
    .execute();
  return new Map(rows.map(({ content_guid, code }) => [content_guid!, code === 0]));
}

/** Deploys since that time, newest first, with the names of their content. */
export function deploysSince(db: Executor, since: Micros): Promise<(TaskRow & { name: string | null })[]> {
  return db
    .selectFrom('task')
    .leftJoin('content', 'content.guid', 'task.content_guid')
    .selectAll('task')
    .select('content.name')
    .where('task.kind', '=', 'deploy')
    .where('task.created_time', '>=', since)
    .orderBy('task.created_time', 'desc')
    .limit(MAX_DEPLOYS)
    .execute();
}

const MAX_DEPLOYS = 10_000;

/** The newest tasks of all content, with its name. @param failed only failed ones */
export function newestTasks(
  db: Executor,
  { failed, limit, offset }: { readonly failed: boolean; readonly limit: number; readonly offset: number },
): Promise<(TaskRow & { name: string | null; username: string | null })[]> {
  let query = db
    .selectFrom('task')
    .leftJoin('content', 'content.guid', 'task.content_guid')
    .leftJoin('user_account', 'user_account.guid', 'task.user_guid')
    .selectAll('task')
    .select(['content.name', 'user_account.username'])
    .orderBy('task.created_time', 'desc')
    .orderBy('task.id')
    .limit(limit)
    .offset(offset);
  // Running tasks have code 0. A condition on `finished` would lead SQLite to the index of running tasks.
  if (failed) query = query.where('task.code', '!=', 0);
  return query.execute();
}

/** Oldest first, with the name of their content. */
export function openTasks(db: Executor): Promise<(TaskRow & { name: string | null })[]> {
  return db
    .selectFrom('task')
    .leftJoin('content', 'content.guid', 'task.content_guid')
    .selectAll('task')
    .select('content.name')
    .where('task.finished', '=', 0)
    .orderBy('task.created_time')
    .execute();
}

export function openTasksOf(db: Executor, contentGuid: string): Promise<TaskRow[]> {
  return db
    .selectFrom('task')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .where('finished', '=', 0)
    .execute();
}

/** Finished tasks of a portion, with their output. */
const REMOVED_AT_ONCE = 200;

/** @param signal ends it early: the rest is removed the next time */
export async function removeTasksBefore(db: Executor, time: Micros, signal: AbortSignal): Promise<void> {
  const old = db
    .selectFrom('task')
    .select('id')
    .where('finished', '=', 1)
    .where('finished_time', '<', time)
    .limit(REMOVED_AT_ONCE);
  while (!signal.aborted) {
    const { numDeletedRows } = await db.deleteFrom('task').where('id', 'in', old).executeTakeFirst();
    if (numDeletedRows < REMOVED_AT_ONCE) return;
    // SQLite's statements do not wait for events: others would not get a turn.
    await setImmediate();
  }
}

/** Whether a deploy of the content was requested after that time, as long as finished tasks are kept. */
export async function deployBegunAfter(db: Executor, contentGuid: string, time: Micros): Promise<boolean> {
  const task = await db
    .selectFrom('task')
    .select('id')
    .where('content_guid', '=', contentGuid)
    .where('kind', '=', 'deploy')
    .where('created_time', '>', time)
    .executeTakeFirst();
  if (task) return true;
  const content = await db
    .selectFrom('content')
    .select('guid')
    .where('guid', '=', contentGuid)
    .where('last_deployed_time', '>', time)
    .executeTakeFirst();
  return content !== undefined;
}
