// Creates a user from a ticket (contract, 4.8).
import { createRemoteUser as createRemoteUserCommand } from '../commands.ts';
import { seesEmail } from '../policy.ts';
import { presentUser } from '../../content/present.ts';
import { readTicket } from '../tickets.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function createPullUser(
  services: Services,
  { body, caller }: ApiRequest<'createPullUser'>,
): Promise<ApiAnswer<'createPullUser'>> {
  const found = readTicket(services, 'user', body.temp_ticket);
  const row = await createRemoteUserCommand(services, caller, found);
  return presentUser(row, { email: seesEmail(services.config, caller) });
}
