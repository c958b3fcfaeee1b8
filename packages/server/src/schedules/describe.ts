// Describes a schedule in words, with its next runs.
import cronstrue from 'cronstrue';
import { toTimestamp } from '../platform/clock.ts';
import type { Micros } from '../platform/database/schema.ts';
import { nextTimeOf } from './next-time.ts';

/** Such as "At 06:00, Monday through Friday (Europe/Zurich)"; the pattern itself if it cannot be described. */
export function describeSchedule(cron: string, timezone: string): string {
  const words = cronstrue.toString(cron, { use24HourTimeFormat: true, throwExceptionOnParseError: false });
  return `${words.startsWith('An error occurred') ? cron : words} (${timezone})`;
}

/** RFC 3339; fewer if it does not match as often. */
export function nextRuns(cron: string, timezone: string, after: Micros, count: number): string[] {
  const runs: string[] = [];
  let time: Micros | null = after;
  while (runs.length < count) {
    time = nextTimeOf({ cron, timezone }, time);
    if (time === null) break;
    runs.push(toTimestamp(time));
  }
  return runs;
}
