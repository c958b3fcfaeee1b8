// Creates a group from a ticket (contract, 4.4).
import {
  createRemoteGroup as createRemoteGroupCommand,
  requireGroups,
  ownerOf,
} from '../commands.ts';
import { presentGroup } from '../../content/present.ts';
import { readTicket } from '../../people/tickets.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function createRemoteGroup(
  services: Services,
  { body, caller }: ApiRequest<'createRemoteGroup'>,
): Promise<ApiAnswer<'createRemoteGroup'>> {
  requireGroups(services);
  const group = readTicket(services, 'group', body.temp_ticket);
  const created = await createRemoteGroupCommand(services, caller, group);
  return presentGroup(created, ownerOf(services, created));
}
