// API representation of processes.
import type { ResponseOf, ApplicationJob, Job, Operations } from '@pressroom/api/contract';
import { toTimestamp } from '../platform/clock.ts';
import type { Micros } from '../platform/database/schema.ts';
import type { Usage } from './process-usage.ts';
import type { JobRow, OwnerOfJob } from './store.ts';

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
    outcome: row.ended === null ? null : row.outcome,
  };
}

/** @param url where people view the content */
export function presentProcess(
  row: JobRow & OwnerOfJob,
  url: string,
  usage: Usage | undefined,
): ResponseOf<Operations['getProcesses']>[string] {
  return {
    appId: null,
    appGuid: row.content_guid,
    appName: row.name,
    appUrl: url,
    appRunAs: row.run_as,
    type: row.tag,
    cpuCurrent: usage?.cpu ?? null,
    cpuTotal: usage?.cpuSeconds ?? null,
    ram: usage?.memory ?? null,
  };
}

export function presentApplicationJob(row: JobRow): ApplicationJob {
  return {
    id: row.key,
    key: row.key,
    pid: row.pid,
    app_id: row.content_guid,
    app_guid: row.content_guid,
    bundle_id: row.bundle_id,
    tag: row.tag,
    start_time: secondsOf(row.started),
    end_time: row.ended === null ? null : secondsOf(row.ended),
    exit_code: row.exit_code,
    finalized: row.ended !== null,
  };
}

function secondsOf(time: Micros): number {
  return Math.floor(time / 1_000_000);
}
