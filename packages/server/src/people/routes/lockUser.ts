// Locks or unlocks a user (contract, 4.8).
import { lockUser as lockUserCommand } from '../../../commands/users.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export function lockUser(
  services: Services,
  { params, body, caller }: ApiRequest<'lockUser'>,
): Promise<ApiAnswer<'lockUser'>> {
  return lockUserCommand(services, caller, params.guid, body.locked);
}
