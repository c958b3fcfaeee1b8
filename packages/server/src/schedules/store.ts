// Rows of schedules: when documents are rendered again.
import type { Selectable } from 'kysely';
import { selectedContent, type ContentSelection } from '../content/store.ts';
import type { Micros, ScheduleTable } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';

export type ScheduleRow = Selectable<ScheduleTable>;

export function findSchedule(db: Executor, contentGuid: string): Promise<ScheduleRow | undefined> {
  return db.selectFrom('schedule').selectAll().where('content_guid', '=', contentGuid).executeTakeFirst();
}

export async function upsertSchedule(db: Executor, row: ScheduleRow): Promise<void> {
  await deleteSchedule(db, row.content_guid);
  await db.insertInto('schedule').values(row).execute();
}

export async function deleteSchedule(db: Executor, contentGuid: string): Promise<void> {
  await db.deleteFrom('schedule').where('content_guid', '=', contentGuid).execute();
}

/** Of all that the selection has. */
export function listSchedules(db: Executor, selection: ContentSelection): Promise<ScheduleRow[]> {
  return db
    .selectFrom('schedule')
    .selectAll()
    .where('content_guid', 'in', selectedContent(db, selection).select('guid'))
    .orderBy('content_guid')
    .execute();
}

export function dueSchedules(db: Executor, now: Micros): Promise<ScheduleRow[]> {
  return db.selectFrom('schedule').selectAll().where('next_time', '<=', now).orderBy('next_time').execute();
}

export async function setNextTime(db: Executor, contentGuid: string, next: Micros | null): Promise<void> {
  await db.updateTable('schedule').set({ next_time: next }).where('content_guid', '=', contentGuid).execute();
}
