// Stops rendering a document on a schedule.
import { removeSchedule } from '../commands.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function deleteContentSchedule(
  services: Services,
  { params, caller }: ApiRequest<'deleteContentSchedule'>,
): Promise<ApiAnswer<'deleteContentSchedule'>> {
  await removeSchedule(services, caller, params.guid);
}
