// Sets when a document is rendered again.
import { setSchedule } from '../../../commands/schedules.ts';
import { presentSchedule } from '../../../domain/presenters.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function setContentSchedule(
  services: Services,
  { params, body, caller }: ApiRequest<'setContentSchedule'>,
): Promise<ApiAnswer<'setContentSchedule'>> {
  return presentSchedule(await setSchedule(services, caller, params.guid, body));
}
