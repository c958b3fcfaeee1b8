// Tasks: poll and cancel (contract, 4.7).
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import { bothForms } from '../http/both-forms.ts';
import type { ApiResponse, ApiRequest } from '../http/request.ts';
import type { Storage } from '../platform/database/storage.ts';
import { readTaskFor, requireReader } from './read-task.ts';
import type { TaskService } from './task-service.ts';

interface Parts {
  readonly storage: Storage;
  readonly audit: Audit;
  readonly tasks: TaskService;
}

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
  { tasks, storage, audit }: Parts,
  { params, caller }: ApiRequest<'cancelTask'>,
): Promise<ApiResponse<'cancelTask'>> {
  const found = await tasks.find(params.id);
  if (!found) throw errors.taskNotFound();
  if (found.user_guid !== caller.guid && caller.role !== 'administrator') throw errors.operationDenied();
  await requireReader({ storage }, caller, found);
  if (!found.finished) {
    const subject = found.content_guid === null ? '' : ` of content ${found.content_guid}`;
    await storage.write((tx) =>
      audit(tx, caller, 'cancel_task', `Cancelled task ${found.id}${subject}`, {
        content: found.content_guid,
        bundle: found.bundle_id,
        task: found.id,
      }),
    );
    await tasks.cancel(found.id);
  }
  const { id, finished, code, error, lines } = (await tasks.find(params.id)) ?? found;
  return { id, output: [], finished: finished === 1, code, error, last: lines };
}

/** Reads a task and its output, for older clients. */
async function getApplicationTask(
  parts: Pick<Parts, 'storage' | 'tasks'>,
  request: ApiRequest<'getApplicationTask'>,
): Promise<ApiResponse<'getApplicationTask'>> {
  const query = { first: request.query.first_status, wait: 0 };
  const { caller, params, signal, again } = request;
  const { task } = await readTaskFor(parts, { caller, params, query, signal, again });
  const { id, output, last, finished, code, error } = task;
  return { id, status: output, last_status: last, finished, code, error };
}
