// Schedules of documents.
import type { Audit } from '../audit/record.ts';
import type { ApiAnswer, ApiRequest } from '../http/request.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import { readSchedule, removeSchedule, setSchedule } from './commands.ts';
import { presentSchedule } from './present.ts';
import { timeZonesAt } from './time-zones.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
}

export const schedulesRoutes = {
  deleteContentSchedule,
  getContentSchedule,
  getTimezones,
  listTimezones: getTimezones,
  setContentSchedule,
};

/** Stops rendering a document on a schedule. */
async function deleteContentSchedule(
  parts: Pick<Parts, 'storage' | 'audit'>,
  { params, caller }: ApiRequest<'deleteContentSchedule'>,
): Promise<ApiAnswer<'deleteContentSchedule'>> {
  await removeSchedule(parts, caller, params.guid);
}

/** Reads when a document is rendered again. */
async function getContentSchedule(
  parts: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getContentSchedule'>,
): Promise<ApiAnswer<'getContentSchedule'>> {
  return presentSchedule(await readSchedule(parts, caller, params.guid));
}

/** Lists the time zones that a schedule may have, with their offsets of now. */
function getTimezones({ clock }: Pick<Parts, 'clock'>): ApiAnswer<'getTimezones'> {
  return timeZonesAt(clock.now());
}

/** Sets when a document is rendered again. */
async function setContentSchedule(
  parts: Parts,
  { params, body, caller }: ApiRequest<'setContentSchedule'>,
): Promise<ApiAnswer<'setContentSchedule'>> {
  return presentSchedule(await setSchedule(parts, caller, params.guid, body));
}
