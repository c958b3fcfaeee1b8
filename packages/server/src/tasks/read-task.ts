// A task as its reader may see it (contract, 4.7).
import { errors, type Task, type TaskEndReason, type TaskStage } from '@pressroom/api/contract';
import { loadContent } from '../content/commands.ts';
import type { ApiRequest } from '../http/request.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import type { TaskService } from './task-service.ts';

interface Parts {
  readonly storage: Storage;
  readonly tasks: TaskService;
}

/** For who started the task, collaborators of its content, and administrators. @throws ApiError 13, 19, 141 */
export async function readTaskFor(
  parts: Parts,
  request: Pick<ApiRequest<'getTask'>, 'caller' | 'params' | 'query' | 'signal' | 'again'>,
): Promise<{ task: Task; stages: TaskStage[]; end_reason: TaskEndReason | null }> {
  const { caller, params, query, signal } = request;
  const found = await parts.tasks.find(params.id);
  if (!found) throw errors.taskNotFound();
  await requireReader(parts, caller, found.user_guid, found.content_guid);
  const view = await parts.tasks.read(params.id, { ...query, signal });
  if (!view) throw errors.taskNotFound();
  // Rights may have been removed while it waited.
  if (query.wait > 0) await requireReader(parts, await request.again(), found.user_guid, found.content_guid);
  const { task, output } = view;
  return {
    task: {
      id: task.id,
      output,
      finished: task.finished === 1,
      code: task.code,
      error: task.error,
      last: query.first + output.length,
    },
    stages: JSON.parse(task.stages) as TaskStage[],
    end_reason: task.end_reason,
  };
}

async function requireReader(
  { storage }: Pick<Parts, 'storage'>,
  caller: Caller,
  owner: string,
  contentGuid: string | null,
) {
  if (caller.content_guid !== null && caller.content_guid !== contentGuid) throw errors.accessDenied();
  if (owner === caller.guid || caller.role === 'administrator') return;
  if (contentGuid === null) throw errors.accessDenied();
  await loadContent(storage.db, contentGuid, caller, 'downloadBundle');
}
