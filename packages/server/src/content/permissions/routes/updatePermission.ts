// Changes the role of a permission.
import { changePermission } from '../../../commands/permissions.ts';
import { presentPermission } from './present.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function updatePermission(
  services: Services,
  { params, body, caller }: ApiRequest<'updatePermission'>,
): Promise<ApiAnswer<'updatePermission'>> {
  return presentPermission(await changePermission(services, caller, params.guid, params.id, body.role));
}
