// API representation of processes and renderings.
import type { ResponseOf, ApplicationJob, Job, Operations } from '@pressroom/api/contract';
import { toTimestamp } from '../platform/clock.ts';
import { DEFAULT_KEY } from '../variants/read.ts';
import type { Usage } from './process-usage.ts';
import { type Rendering, startOf } from './renderings.ts';
import type { JobRow, OwnerOfJob } from './store.ts';

export function presentJob(row: JobRow): Job {
  return {
    id: row.key,
    key: row.key,
    content_guid: row.content_guid,
    bundle_id: String(row.bundle_id),
    variant_id: null,
    tag: row.tag as Job['tag'],
    pid: row.pid,
    status: row.ended === null ? 0 : 2,
    queued_time: null,
    start_time: toTimestamp(row.started),
    end_time: row.ended === null ? null : toTimestamp(row.ended),
    exit_code: row.exit_code,
    outcome: row.ended === null ? null : row.outcome,
  };
}

export function presentRendering(rendering: Rendering): Job {
  const { id, content_guid, bundle_id, variant_key, tag, finished, code, error, end_reason } = rendering;
  return {
    id,
    key: id,
    content_guid,
    bundle_id: String(bundle_id),
    variant_id: variant_key ?? DEFAULT_KEY,
    tag,
    pid: null,
    status: finished ? 2 : 0,
    queued_time: toTimestamp(rendering.created_time),
    start_time: startOf(rendering),
    end_time: rendering.finished_time === null ? null : toTimestamp(rendering.finished_time),
    exit_code: !finished || end_reason !== null ? null : code === 0 ? 0 : 1,
    outcome: !finished ? null : code === 0 ? 'succeeded' : error,
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

export function presentApplicationJob(job: Job): ApplicationJob {
  const { id, key, pid, content_guid: guid, bundle_id, tag, start_time, end_time, exit_code, status } = job;
  return {
    id,
    key,
    pid,
    app_id: guid,
    app_guid: guid,
    bundle_id: Number(bundle_id),
    tag,
    start_time: secondsOf(start_time),
    end_time: end_time === null ? null : secondsOf(end_time),
    exit_code,
    finalized: status !== 0,
  };
}

function secondsOf(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
}
