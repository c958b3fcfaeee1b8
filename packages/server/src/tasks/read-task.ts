// A task as its reader may see it (contract, 4.7).
import { errors, type Task, type TaskEndReason, type TaskStage } from '@pressroom/api/contract';
import { requireRight } from '../content/commands.ts';
import { findContent } from '../content/store.ts';
import type { ApiRequest } from '../http/request.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import type { TaskRow } from './store.ts';
import type { TaskService } from './task-service.ts';

interface Parts {
  readonly storage: Storage;
  readonly tasks: TaskService;
}

/**
 * For administrators, collaborators of the content, and who started the task while that right lasts: for a rendering with
 * own values, the right to view. @throws ApiError 13, 19, 141
 */
export async function readTaskFor(
  parts: Parts,
  request: Pick<ApiRequest<'getTask'>, 'caller' | 'params' | 'query' | 'signal' | 'again'>,
): Promise<{ task: Task; stages: TaskStage[]; end_reason: TaskEndReason | null }> {
  const { caller, params, query, signal } = request;
  const found = await parts.tasks.find(params.id);
  if (!found) throw errors.taskNotFound();
  await requireReader(parts, caller, found);
  const view = await parts.tasks.read(params.id, { ...query, signal });
  if (!view) throw errors.taskNotFound();
  // Rights may have been removed while it waited.
  if (Math.max(query.wait, query.output_wait) > 0) await requireReader(parts, await request.again(), found);
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

/** @throws ApiError 19 */
export async function requireReader(
  { storage: { db } }: Pick<Parts, 'storage'>,
  caller: Caller,
  { user_guid, content_guid: guid, variant_key }: TaskRow,
): Promise<void> {
  if (caller.content_guid !== null && caller.content_guid !== guid) throw errors.accessDenied();
  if (caller.role === 'administrator') return;
  const hasStarted = user_guid === caller.guid;
  const content = guid === null ? undefined : await findContent(db, guid);
  // A task of deleted content ends by that.
  if (content === undefined && hasStarted) return;
  if (content === undefined) throw errors.accessDenied();
  await requireRight(
    db,
    content,
    caller,
    hasStarted && variant_key !== null ? 'getContent' : 'downloadBundle',
  );
}
