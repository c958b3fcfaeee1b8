// Reads a task and its output, for older clients.
import { readTaskFor } from '../read-task.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function getApplicationTask(
  services: Services,
  request: ApiRequest<'getApplicationTask'>,
): Promise<ApiAnswer<'getApplicationTask'>> {
  const query = { first: request.query.first_status, wait: 0 };
  const { caller, params, signal } = request;
  const { id, output, last, finished, code, error } = await readTaskFor(services, {
    caller,
    params,
    query,
    signal,
  });
  return { id, status: output, last_status: last, finished, code, error };
}
