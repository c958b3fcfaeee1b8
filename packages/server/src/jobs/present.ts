// Processes as the API shows them.
import type { AnswerOf, Job, Operations } from '@pressroom/api/contract';
import { toTimestamp } from '../platform/clock.ts';
import type { JobRow, OwnerOfJob } from './store.ts';

export function presentJob(row: JobRow): Job {
  return {
    key: row.key,
    bundle_id: String(row.bundle_id),
    tag: row.tag as Job['tag'],
    pid: row.pid,
    status: row.ended === null ? 'active' : 'finished',
    start_time: toTimestamp(row.started),
    end_time: row.ended === null ? null : toTimestamp(row.ended),
    exit_code: row.exit_code,
    outcome: row.outcome,
  };
}

/** @param url where a person looks at the content */
export function presentProcess(
  row: JobRow & OwnerOfJob,
  url: string,
): AnswerOf<Operations['getProcesses']>[string] {
  return {
    appId: row.content_guid,
    appGuid: row.content_guid,
    appName: row.name,
    appUrl: url,
    appRunAs: row.run_as,
    type: row.tag,
    cpuCurrent: null,
    cpuTotal: null,
    ram: null,
  };
}
