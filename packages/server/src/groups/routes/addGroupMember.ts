// Adds a user to a group (contract, 4.4).
import { addMember, requireGroups } from '../commands.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export function addGroupMember(
  services: Services,
  { params, body, caller }: ApiRequest<'addGroupMember'>,
): Promise<ApiAnswer<'addGroupMember'>> {
  requireGroups(services);
  return addMember(services, caller, params.group_guid, body.user_guid);
}
