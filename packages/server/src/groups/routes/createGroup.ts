// Creates a group (contract, 4.4).
import { createGroup as createGroupCommand, requireGroups, ownerOf } from '../../../commands/groups.ts';
import { presentGroup } from '../../../domain/presenters.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function createGroup(
  services: Services,
  { body, caller }: ApiRequest<'createGroup'>,
): Promise<ApiAnswer<'createGroup'>> {
  requireGroups(services);
  const group = await createGroupCommand(services, caller, body.name);
  return presentGroup(group, ownerOf(services, group));
}
