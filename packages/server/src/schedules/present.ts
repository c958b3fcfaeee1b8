// API representation of schedules.
import type { Schedule } from '@pressroom/api/contract';
import { toTimestamp } from '../platform/clock.ts';
import type { ScheduleRow } from './store.ts';

export function presentSchedule({ cron, timezone, next_time }: ScheduleRow): Schedule {
  return { cron, timezone, next_time: next_time === null ? null : toTimestamp(next_time) };
}
