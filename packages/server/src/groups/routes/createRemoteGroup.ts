// Creates a group from a ticket (contract, 4.4).
import {
  createRemoteGroup as createRemoteGroupCommand,
  requireGroups,
  ownerOf,
} from '../../../commands/groups.ts';
import { presentGroup } from '../../../domain/presenters.ts';
import { readTicket } from '../../../domain/tickets.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function createRemoteGroup(
  services: Services,
  { body, caller }: ApiRequest<'createRemoteGroup'>,
): Promise<ApiAnswer<'createRemoteGroup'>> {
  requireGroups(services);
  const group = readTicket(services, 'group', body.temp_ticket);
  const created = await createRemoteGroupCommand(services, caller, group);
  return presentGroup(created, ownerOf(services, created));
}
