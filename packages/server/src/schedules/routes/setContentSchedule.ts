// Sets when a document is rendered again.
import { setSchedule } from '../commands.ts';
import { presentSchedule } from '../../content/present.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function setContentSchedule(
  services: Services,
  { params, body, caller }: ApiRequest<'setContentSchedule'>,
): Promise<ApiAnswer<'setContentSchedule'>> {
  return presentSchedule(await setSchedule(services, caller, params.guid, body));
}
