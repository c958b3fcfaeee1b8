// Removes a user from a group (contract, 4.4).
import { leaveGroup, requireGroups } from '../commands.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export function removeGroupMember(
  services: Services,
  { params, caller }: ApiRequest<'removeGroupMember'>,
): Promise<ApiAnswer<'removeGroupMember'>> {
  requireGroups(services);
  return leaveGroup(services, caller, params.group_guid, params.user_guid);
}
