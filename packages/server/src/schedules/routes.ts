// Schedules of documents.
import { presentSchedule } from '../content/present.ts';
import type { ApiAnswer, ApiRequest } from '../http/request.ts';
import type { Services } from '../main/services.ts';
import { readSchedule, removeSchedule, setSchedule } from './commands.ts';

export const schedulesRoutes = { deleteContentSchedule, getContentSchedule, setContentSchedule };

/** Stops rendering a document on a schedule. */
async function deleteContentSchedule(
  services: Services,
  { params, caller }: ApiRequest<'deleteContentSchedule'>,
): Promise<ApiAnswer<'deleteContentSchedule'>> {
  await removeSchedule(services, caller, params.guid);
}

/** Reads when a document is rendered again. */
async function getContentSchedule(
  services: Services,
  { params, caller }: ApiRequest<'getContentSchedule'>,
): Promise<ApiAnswer<'getContentSchedule'>> {
  return presentSchedule(await readSchedule(services, caller, params.guid));
}

/** Sets when a document is rendered again. */
async function setContentSchedule(
  services: Services,
  { params, body, caller }: ApiRequest<'setContentSchedule'>,
): Promise<ApiAnswer<'setContentSchedule'>> {
  return presentSchedule(await setSchedule(services, caller, params.guid, body));
}
