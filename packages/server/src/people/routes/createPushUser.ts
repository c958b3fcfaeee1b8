// Creates a user (contract, 4.8).
import { createUser as createUserCommand } from '../../../commands/users.ts';
import { presentUser } from '../../../domain/presenters.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function createPushUser(
  services: Services,
  { body, caller, base }: ApiRequest<'createPushUser'>,
): Promise<ApiAnswer<'createPushUser'>> {
  return presentUser(await createUserCommand(services, caller, body, base), { email: true });
}
