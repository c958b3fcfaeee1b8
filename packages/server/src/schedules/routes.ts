// Schedule operations of the API.
import type { Audit } from '../audit/record.ts';
import type { ApiResponse, ApiRequest } from '../http/request.ts';
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

/** Removes the schedule of a document. */
async function deleteContentSchedule(
  parts: Pick<Parts, 'storage' | 'audit'>,
  { params, caller }: ApiRequest<'deleteContentSchedule'>,
): Promise<ApiResponse<'deleteContentSchedule'>> {
  await removeSchedule(parts, caller, params.guid);
}

/** Reads the schedule of a document. */
async function getContentSchedule(
  parts: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getContentSchedule'>,
): Promise<ApiResponse<'getContentSchedule'>> {
  return presentSchedule(await readSchedule(parts, caller, params.guid));
}

/** Lists time zones for schedules, with their current offsets. */
function getTimezones({ clock }: Pick<Parts, 'clock'>): ApiResponse<'getTimezones'> {
  return timeZonesAt(clock.now());
}

/** Sets the schedule of a document. */
async function setContentSchedule(
  parts: Parts,
  { params, body, caller }: ApiRequest<'setContentSchedule'>,
): Promise<ApiResponse<'setContentSchedule'>> {
  return presentSchedule(await setSchedule(parts, caller, params.guid, body));
}
