// Processes as the API shows them.
import type { Job } from '@pressroom/api/contract';
import { toTimestamp } from '../platform/clock.ts';
import type { JobRow } from './store.ts';

export function presentJob(row: JobRow): Job {
  return {
    key: row.key,
    bundle_id: String(row.bundle_id),
    tag: row.tag as Job['tag'],
    pid: row.pid,
    status: row.ended === null ? 0 : 2,
    start_time: toTimestamp(row.started),
    end_time: row.ended === null ? null : toTimestamp(row.ended),
    exit_code: row.exit_code,
    outcome: row.outcome,
  };
}
