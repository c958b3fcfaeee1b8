// Reads when a document is rendered again.
import { readSchedule } from '../commands.ts';
import { presentSchedule } from '../../content/present.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function getContentSchedule(
  services: Services,
  { params, caller }: ApiRequest<'getContentSchedule'>,
): Promise<ApiAnswer<'getContentSchedule'>> {
  return presentSchedule(await readSchedule(services, caller, params.guid));
}
