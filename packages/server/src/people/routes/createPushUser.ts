// Creates a user (contract, 4.8).
import { createUser as createUserCommand } from '../commands.ts';
import { presentUser } from '../../content/present.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function createPushUser(
  services: Services,
  { body, caller, base }: ApiRequest<'createPushUser'>,
): Promise<ApiAnswer<'createPushUser'>> {
  return presentUser(await createUserCommand(services, caller, body, base), { email: true });
}
