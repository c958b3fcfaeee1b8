// Locks or unlocks a user (contract, 4.8).
import { lockUser as lockUserCommand } from '../commands.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export function lockUser(
  services: Services,
  { params, body, caller }: ApiRequest<'lockUser'>,
): Promise<ApiAnswer<'lockUser'>> {
  return lockUserCommand(services, caller, params.guid, body.locked);
}
