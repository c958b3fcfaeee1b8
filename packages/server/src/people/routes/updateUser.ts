// Changes a user (contract, 4.8).
import { updateUser as updateUserCommand } from '../../../commands/users.ts';
import { toTimestamp } from '../../../config/clock.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function updateUser(
  services: Services,
  { params, body, caller, base }: ApiRequest<'updateUser'>,
): Promise<ApiAnswer<'updateUser'>> {
  const row = await updateUserCommand(services, caller, params.guid, body, base);
  const { email, username, first_name, last_name, user_role } = row;
  return { email, username, first_name, last_name, user_role, updated_time: toTimestamp(row.updated_time) };
}
