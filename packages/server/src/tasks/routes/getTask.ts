// Reads a task and its output (contract, 4.7).
import { readTaskFor } from '../read-task.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export function getTask(services: Services, request: ApiRequest<'getTask'>): Promise<ApiAnswer<'getTask'>> {
  return readTaskFor(services, request);
}
