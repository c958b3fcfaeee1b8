// Stops rendering a document on a schedule.
import { removeSchedule } from '../../../commands/schedules.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function deleteContentSchedule(
  services: Services,
  { params, caller }: ApiRequest<'deleteContentSchedule'>,
): Promise<ApiAnswer<'deleteContentSchedule'>> {
  await removeSchedule(services, caller, params.guid);
}
