// Reads a task and its output (contract, 4.7).
import { readTaskFor } from '../read-task.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function getTaskGa(
  services: Services,
  request: ApiRequest<'getTaskGa'>,
): Promise<ApiAnswer<'getTaskGa'>> {
  return { ...(await readTaskFor(services, request)), result: null };
}
