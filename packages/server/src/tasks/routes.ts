// Tasks: poll and cancel (contract, 4.7).
import { errors } from '@pressroom/api/contract';
import { bothForms } from '../http/both-forms.ts';
import type { ApiResponse, ApiRequest } from '../http/request.ts';
import { type Cancelling, cancelAs, requireCanceller } from './commands.ts';
import { readTaskFor, requireReader } from './read-task.ts';

export const tasksRoutes = {
  cancelTask,
  getApplicationTask,
  ...bothForms('getTask', readTaskFor, {
    experimental: ({ task }) => task,
    stable: ({ task, stages, end_reason }) => ({ ...task, result: null, stages, end_reason }),
  }),
};

/**
 * For who started the task while they may read it, and administrators. Returns the task without output: it may continue
 * briefly until its work has stopped. A finished task is unchanged. @throws ApiError 19, 22, 141
 */
async function cancelTask(
  parts: Cancelling,
  { params, caller }: ApiRequest<'cancelTask'>,
): Promise<ApiResponse<'cancelTask'>> {
  const { tasks } = parts;
  const found = await tasks.find(params.id);
  if (!found) throw errors.taskNotFound();
  requireCanceller(caller, found);
  await requireReader(parts, caller, found);
  if (!found.finished) await cancelAs(parts, caller, found);
  const { id, finished, code, error, lines } = (await tasks.find(params.id)) ?? found;
  return { id, output: [], finished: finished === 1, code, error, last: lines };
}

/** Reads a task and its output, for older clients. */
async function getApplicationTask(
  parts: Pick<Cancelling, 'storage' | 'tasks'>,
  request: ApiRequest<'getApplicationTask'>,
): Promise<ApiResponse<'getApplicationTask'>> {
  const query = { first: request.query.first_status, wait: 0, output_wait: 0 };
  const { caller, params, signal, again } = request;
  const { task } = await readTaskFor(parts, { caller, params, query, signal, again });
  const { id, output, last, finished, code, error } = task;
  return { id, status: output, last_status: last, finished, code, error };
}
