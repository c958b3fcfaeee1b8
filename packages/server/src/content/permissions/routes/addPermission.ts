// Makes somebody a collaborator or viewer.
import { grantPermission } from '../commands.ts';
import { presentPermission } from '../present.ts';
import type { ApiAnswer, ApiRequest } from '../../../http/request.ts';
import type { Services } from '../../../main/services.ts';

export async function addPermission(
  services: Services,
  { params, body, caller }: ApiRequest<'addPermission'>,
): Promise<ApiAnswer<'addPermission'>> {
  const principal_guid = body.principal_guid.toLowerCase();
  return presentPermission(await grantPermission(services, caller, params.guid, { ...body, principal_guid }));
}
