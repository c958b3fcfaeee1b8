// The next match of a cron pattern.
import { errors } from '@pressroom/api/contract';
import { Cron } from 'croner';
import type { Micros } from '../platform/database/schema.ts';
import { messageOf } from '../platform/errors.ts';
import { requireTimeZone } from './time-zones.ts';

/** Of a stored schedule: null also if this version, or its list of time zones, no longer accepts it. */
export function nextTimeOf(
  { cron, timezone }: { readonly cron: string; readonly timezone: string },
  after: Micros,
): Micros | null {
  try {
    return nextTime(cron, timezone, after);
  } catch {
    return null;
  }
}

/** Null if it never matches. @throws ApiError 25 for an invalid pattern or time zone. */
export function nextTime(cron: string, timezone: string, after: Micros): Micros | null {
  requireTimeZone(timezone);
  try {
    // Lists of times are not intervals either: of "0 2,14", a clock change skips or repeats nothing.
    const times = new Cron(cron, { timezone, fixedTimeRule: 'no-wildcard', paused: true });
    const next = times.nextRun(new Date(after / 1000));
    return next && next.getTime() * 1000;
  } catch (cause) {
    const message = `the schedule ${cron.trim()} is not valid: ${reasonOf(messageOf(cause))}`;
    throw errors.invalidParameter({ message, cause, field: 'cron' });
  }
}

/** The library counts days and months from 0. */
function reasonOf(message: string): string {
  return message
    .replace(/^CronPattern: /, '')
    .replace(/(?<=^Invalid value for (?:day|month): )-?\d+$/, (value) => String(Number(value) + 1));
}
