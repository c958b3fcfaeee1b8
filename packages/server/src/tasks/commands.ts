// Cancels tasks for people.
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { findTask, type TaskRow } from './store.ts';
import type { TaskService } from './task-service.ts';

export interface Cancelling {
  readonly storage: Storage;
  readonly audit: Audit;
  readonly tasks: TaskService;
}

/** Who started the task, and administrators. @throws ApiError 22 */
export function requireCanceller(
  caller: Pick<Caller, 'guid' | 'role'>,
  { user_guid }: Pick<TaskRow, 'user_guid'>,
): void {
  if (user_guid !== caller.guid && caller.role !== 'administrator') throw errors.operationDenied();
}

/** It may continue briefly until its work has stopped; one that has ended is unchanged. */
export async function cancelAs(
  { storage, audit, tasks }: Cancelling,
  caller: Caller,
  { id, content_guid, bundle_id }: Pick<TaskRow, 'id' | 'content_guid' | 'bundle_id'>,
): Promise<void> {
  const subject = content_guid === null ? '' : ` of content ${content_guid}`;
  const isOpen = await storage.write(async (tx) => {
    const task = await findTask(tx, id);
    if (!task || task.finished) return false;
    await audit(tx, caller, 'cancel_task', `Cancelling task ${id}${subject}`, {
      content: content_guid,
      bundle: bundle_id,
      task: id,
    });
    return true;
  });
  if (isOpen) await tasks.cancel(id);
}
