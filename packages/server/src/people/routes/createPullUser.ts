// Creates a user from a ticket (contract, 4.8).
import { createRemoteUser as createRemoteUserCommand } from '../../../commands/users.ts';
import { seesEmail } from '../../../domain/people.ts';
import { presentUser } from '../../../domain/presenters.ts';
import { readTicket } from '../../../domain/tickets.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function createPullUser(
  services: Services,
  { body, caller }: ApiRequest<'createPullUser'>,
): Promise<ApiAnswer<'createPullUser'>> {
  const found = readTicket(services, 'user', body.temp_ticket);
  const row = await createRemoteUserCommand(services, caller, found);
  return presentUser(row, { email: seesEmail(services.config, caller) });
}
