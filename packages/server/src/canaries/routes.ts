// Canary operations of the API: the rule of a content item, the figures, finish and end.
import type { Canary, CanaryFigures, CanaryRule } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import type { DeployService } from '../deploys/deploy-service.ts';
import type { ApiResponse, ApiRequest } from '../http/request.ts';
import type { Config } from '../main/config/settings.ts';
import { toTimestamp, type Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { TaskService } from '../tasks/task-service.ts';
import type { CanaryLimits } from './begin-canary.ts';
import {
  finishNow,
  rollBackNow,
  readCanary,
  readCanaryRule,
  removeRule,
  setRule,
  type ReadCanary,
} from './commands.ts';
import { quantile, type Figures } from './figures.ts';
import type { CanaryRuleRow } from './store.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly tasks: TaskService;
  readonly deploys: Pick<DeployService, 'run'>;
  readonly contentChanged: (guid: string) => void;
}

export const canariesRoutes = {
  deleteCanaryRule,
  endCanary,
  finishCanary,
  getCanary,
  getCanaryRule,
  setCanaryRule,
};

/** Reads the share and the limits with which new bundles start. */
async function getCanaryRule(
  parts: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getCanaryRule'>,
): Promise<ApiResponse<'getCanaryRule'>> {
  return presentRule(await readCanaryRule(parts, caller, params.guid));
}

/** Makes new bundles start as canaries. */
async function setCanaryRule(
  parts: Pick<Parts, 'storage' | 'audit' | 'clock'>,
  { params, body, caller }: ApiRequest<'setCanaryRule'>,
): Promise<ApiResponse<'setCanaryRule'>> {
  const { waits, ...rest } = body;
  const wanted = { ...rest, ...(waits !== undefined && { waits: waits ? 1 : 0 }) } as Partial<
    CanaryLimits & Pick<CanaryRuleRow, 'shrink_limit'>
  >;
  return presentRule(await setRule(parts, caller, params.guid, wanted));
}

/** Lets new bundles go live at once. */
async function deleteCanaryRule(
  parts: Pick<Parts, 'storage' | 'audit'>,
  { params, caller }: ApiRequest<'deleteCanaryRule'>,
): Promise<ApiResponse<'deleteCanaryRule'>> {
  await removeRule(parts, caller, params.guid);
}

/** Reads the current or last canary, with figures. */
async function getCanary(
  parts: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getCanary'>,
): Promise<ApiResponse<'getCanary'>> {
  return presentCanary(await readCanary(parts, caller, params.guid));
}

/** Makes the canary live. */
async function finishCanary(
  parts: Omit<Parts, 'contentChanged'>,
  { params, caller }: ApiRequest<'finishCanary'>,
): Promise<ApiResponse<'finishCanary'>> {
  const { taskId, bundle } = await finishNow(parts, caller, params.guid);
  if (bundle) void parts.deploys.run(taskId, bundle, 'deploy');
  return { task_id: taskId };
}

/** Rolls the canary back. */
async function endCanary(
  parts: Omit<Parts, 'tasks' | 'deploys'>,
  { params, body, caller }: ApiRequest<'endCanary'>,
): Promise<ApiResponse<'endCanary'>> {
  return presentCanary(await rollBackNow(parts, caller, params.guid, body.reason ?? null));
}

function presentRule(rule: CanaryRuleRow): CanaryRule {
  const { share, length, error_limit, slow_limit, health_path, waits, user_guid, created_time } = rule;
  const limits = { share, length, error_limit, slow_limit, health_path, waits: waits === 1 };
  return { ...limits, shrink_limit: rule.shrink_limit, user_guid, created_time: toTimestamp(created_time) };
}

export function presentCanary({ row, figures }: ReadCanary): Canary {
  const { share, length, error_limit, slow_limit, health_path, state, reason, started_time } = row;
  const time = (micros: number | null) => (micros === null ? null : toTimestamp(micros));
  return {
    bundle_id: String(row.bundle_id),
    live_bundle_id: String(row.live_bundle),
    state,
    reason,
    share,
    length,
    error_limit,
    slow_limit,
    health_path,
    waits: row.waits === 1,
    task_id: row.task_id,
    finish_task_id: row.finish_task,
    user_guid: row.user_guid,
    created_time: toTimestamp(row.created_time),
    started_time: time(started_time),
    ends_time: time(started_time === null ? null : started_time + row.length * 1_000_000),
    decided_time: time(row.decided_time),
    decided_by: row.decided_by,
    live: presentFigures(figures.live),
    canary: presentFigures(figures.canary),
  };
}

function presentFigures({ times, ...counts }: Figures): CanaryFigures {
  return { ...counts, p50_ms: quantile({ times }, 0.5), p90_ms: quantile({ times }, 0.9) };
}
