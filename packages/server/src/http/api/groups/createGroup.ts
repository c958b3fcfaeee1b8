// Creates a group (contract, 4.4).
import { createGroup as createGroupCommand, requireGroups } from '../../../commands/groups.ts';
import { presentGroup } from '../../../domain/presenters.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function createGroup(
  services: Services,
  { body, caller }: ApiRequest<'createGroup'>,
): Promise<ApiAnswer<'createGroup'>> {
  requireGroups(services);
  return presentGroup(await createGroupCommand(services, caller, body.name));
}
