// Deletes a group (contract, 4.4).
import { deleteGroup as deleteGroupCommand, requireGroups } from '../commands.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export function deleteGroup(
  services: Services,
  { params, caller }: ApiRequest<'deleteGroup'>,
): Promise<ApiAnswer<'deleteGroup'>> {
  requireGroups(services);
  return deleteGroupCommand(services, caller, params.guid);
}
