// Database access for schedules.
import type { Selectable } from 'kysely';
import { selectedContent, type ContentSelection } from '../content/store.ts';
import type { Micros, ScheduleTable } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';

export type ScheduleRow = Selectable<ScheduleTable>;

/** The variant with the values of the source. */
export const DEFAULT_VARIANT = '';

export function findSchedule(
  db: Executor,
  contentGuid: string,
  variant = DEFAULT_VARIANT,
): Promise<ScheduleRow | undefined> {
  return db
    .selectFrom('schedule')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .where('variant_key', '=', variant)
    .executeTakeFirst();
}

export async function upsertSchedule(db: Executor, row: ScheduleRow): Promise<void> {
  await deleteSchedule(db, row.content_guid, row.variant_key);
  await db.insertInto('schedule').values(row).execute();
}

export async function deleteSchedule(
  db: Executor,
  contentGuid: string,
  variant = DEFAULT_VARIANT,
): Promise<void> {
  await db
    .deleteFrom('schedule')
    .where('content_guid', '=', contentGuid)
    .where('variant_key', '=', variant)
    .execute();
}

/** Schedules of all variants of a content item, including the default. */
export function schedulesOf(db: Executor, contentGuid: string): Promise<ScheduleRow[]> {
  return db.selectFrom('schedule').selectAll().where('content_guid', '=', contentGuid).execute();
}

/** Schedules of all selected documents, for their default variant. */
export function listSchedules(db: Executor, selection: ContentSelection): Promise<ScheduleRow[]> {
  return db
    .selectFrom('schedule')
    .selectAll()
    .where('content_guid', 'in', selectedContent(db, selection).select('guid'))
    .where('variant_key', '=', DEFAULT_VARIANT)
    .orderBy('content_guid')
    .execute();
}

export function dueSchedules(db: Executor, now: Micros): Promise<ScheduleRow[]> {
  return db.selectFrom('schedule').selectAll().where('next_time', '<=', now).orderBy('next_time').execute();
}

export function allSchedules(db: Executor): Promise<ScheduleRow[]> {
  return db.selectFrom('schedule').selectAll().execute();
}

/** All with a next time. */
export function plannedSchedules(db: Executor): Promise<ScheduleRow[]> {
  return db.selectFrom('schedule').selectAll().where('next_time', 'is not', null).execute();
}

export async function setNextTime(
  db: Executor,
  { content_guid, variant_key }: Pick<ScheduleRow, 'content_guid' | 'variant_key'>,
  next: Micros | null,
): Promise<void> {
  await db
    .updateTable('schedule')
    .set({ next_time: next })
    .where('content_guid', '=', content_guid)
    .where('variant_key', '=', variant_key)
    .execute();
}
