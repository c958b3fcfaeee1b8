// Changes a user (contract, 4.8).
import { updateUser as updateUserCommand } from '../commands.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function updateUser(
  services: Services,
  { params, body, caller, base }: ApiRequest<'updateUser'>,
): Promise<ApiAnswer<'updateUser'>> {
  const row = await updateUserCommand(services, caller, params.guid, body, base);
  const { email, username, first_name, last_name, user_role } = row;
  return { email, username, first_name, last_name, user_role, updated_time: toTimestamp(row.updated_time) };
}
