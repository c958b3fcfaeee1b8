// Commands on schedules of documents: set, read and remove.
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import { loadContent } from '../content/commands.ts';
import { requireDocument } from '../deploys/start-deploy.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { nextTime } from './next-time.ts';
import { DEFAULT_VARIANT, deleteSchedule, findSchedule, upsertSchedule, type ScheduleRow } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
}

/** @throws ApiError 4 if there is none */
export async function readSchedule(
  { storage }: Pick<Parts, 'storage'>,
  caller: Caller,
  guid: string,
): Promise<ScheduleRow> {
  const { content } = await loadContent(storage.db, guid, caller, 'readSchedule');
  const schedule = await findSchedule(storage.db, content.guid);
  if (!schedule) throw errors.notFound({ message: 'this content has no schedule' });
  return schedule;
}

/** @throws ApiError 25 for an invalid pattern or time zone, 39 for content that is not rendered */
export function setSchedule(
  { storage, clock, audit }: Parts,
  caller: Caller,
  guid: string,
  { cron, timezone = 'UTC' }: { cron: string; timezone?: string },
): Promise<ScheduleRow> {
  const now = clock.now();
  const times = scheduledTimes({ cron, timezone }, now);
  return storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'manageSchedule');
    requireDocument(content);
    const own = { content_guid: content.guid, user_guid: caller.guid };
    const row = { ...own, ...times, variant_key: DEFAULT_VARIANT, created_time: now };
    await upsertSchedule(tx, row);
    const description = `Scheduled content ${content.name} (${content.guid}): ${cron} ${timezone}`;
    await audit(tx, caller, 'edit_application', description, { content: content.guid });
    return row;
  });
}

/** @throws ApiError 25 for an invalid pattern or time zone, or one that never matches */
export function scheduledTimes(
  { cron, timezone = 'UTC' }: { readonly cron: string; readonly timezone?: string },
  now: number,
): Pick<ScheduleRow, 'cron' | 'timezone' | 'next_time'> {
  const next_time = nextTime(cron, timezone, now);
  if (next_time === null)
    throw errors.invalidParameter({ message: `the schedule ${cron} never comes`, field: 'cron' });
  return { cron, timezone, next_time };
}

export function removeSchedule(
  { storage, audit }: Pick<Parts, 'storage' | 'audit'>,
  caller: Caller,
  guid: string,
): Promise<void> {
  return storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'manageSchedule');
    await deleteSchedule(tx, content.guid);
    await audit(tx, caller, 'edit_application', `Removed the schedule of ${content.name} (${content.guid})`, {
      content: content.guid,
    });
  });
}
