// Takes a permission away.
import { revokePermission } from '../../../commands/permissions.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export function deletePermission(
  services: Services,
  { params, caller }: ApiRequest<'deletePermission'>,
): Promise<ApiAnswer<'deletePermission'>> {
  return revokePermission(services, caller, params.guid, params.id);
}
