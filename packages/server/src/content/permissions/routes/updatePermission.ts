// Changes the role of a permission.
import { changePermission } from '../commands.ts';
import { presentPermission } from '../present.ts';
import type { ApiAnswer, ApiRequest } from '../../../http/request.ts';
import type { Services } from '../../../main/services.ts';

export async function updatePermission(
  services: Services,
  { params, body, caller }: ApiRequest<'updatePermission'>,
): Promise<ApiAnswer<'updatePermission'>> {
  return presentPermission(await changePermission(services, caller, params.guid, params.id, body.role));
}
