// The next match of a cron pattern.
import { errors } from '@pressroom/api/contract';
import { Cron } from 'croner';
import type { Micros } from '../platform/database/schema.ts';
import { messageOf } from '../platform/errors.ts';
import { requireTimeZone } from './time-zones.ts';

/** Null if it never matches. @throws ApiError 25 for an invalid pattern or time zone. */
export function nextTime(cron: string, timezone: string, after: Micros): Micros | null {
  requireTimeZone(timezone);
  try {
    const next = new Cron(cron, { timezone, paused: true }).nextRun(new Date(after / 1000));
    return next && next.getTime() * 1000;
  } catch (cause) {
    throw errors.invalidParameter({ message: `the schedule is not valid: ${messageOf(cause)}`, cause });
  }
}
