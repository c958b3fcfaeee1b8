// Takes a permission away.
import { revokePermission } from '../commands.ts';
import type { ApiAnswer, ApiRequest } from '../../../http/request.ts';
import type { Services } from '../../../main/services.ts';

export function deletePermission(
  services: Services,
  { params, caller }: ApiRequest<'deletePermission'>,
): Promise<ApiAnswer<'deletePermission'>> {
  return revokePermission(services, caller, params.guid, params.id);
}
