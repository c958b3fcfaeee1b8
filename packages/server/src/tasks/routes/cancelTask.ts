// Asks a task to stop: an addition beside the contract.
import { ApiError } from '@pressroom/api';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

/**
 * For who started the task, and administrators. The answer is the task without its output: it may go on for a moment,
 * until its work has wound up. A finished task stays as it is. @throws ApiError 22, 141
 */
export async function cancelTask(
  { tasks, storage, audit }: Services,
  { params, caller }: ApiRequest<'cancelTask'>,
): Promise<ApiAnswer<'cancelTask'>> {
  const found = await tasks.find(params.id);
  if (!found) throw new ApiError(141);
  if (found.user_guid !== caller.guid && caller.role !== 'administrator') throw new ApiError(22);
  if (!found.finished) {
    const subject = found.content_guid === null ? '' : ` of content ${found.content_guid}`;
    await storage.write((tx) =>
      audit(tx, caller, 'cancel_task', `Cancelled task ${found.id}${subject}`, found.content_guid),
    );
    await tasks.cancel(found.id);
  }
  const { id, finished, code, error, lines } = (await tasks.find(params.id)) ?? found;
  return { id, output: [], finished: finished === 1, code, error, last: lines };
}
