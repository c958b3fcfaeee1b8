// Reads when a document is rendered again.
import { readSchedule } from '../../../commands/schedules.ts';
import { presentSchedule } from '../../../domain/presenters.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function getContentSchedule(
  services: Services,
  { params, caller }: ApiRequest<'getContentSchedule'>,
): Promise<ApiAnswer<'getContentSchedule'>> {
  return presentSchedule(await readSchedule(services, caller, params.guid));
}
