// Creates a group (contract, 4.4).
import { createGroup as createGroupCommand, requireGroups, ownerOf } from '../commands.ts';
import { presentGroup } from '../../content/present.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function createGroup(
  services: Services,
  { body, caller }: ApiRequest<'createGroup'>,
): Promise<ApiAnswer<'createGroup'>> {
  requireGroups(services);
  const group = await createGroupCommand(services, caller, body.name);
  return presentGroup(group, ownerOf(services, group));
}
