// Deletes a bundle that is not active (contract, 4.2).
import { deleteBundle as deleteBundleCommand } from '../commands.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export function deleteBundle(
  services: Services,
  { params, caller }: ApiRequest<'deleteBundle'>,
): Promise<ApiAnswer<'deleteBundle'>> {
  return deleteBundleCommand(services, caller, params.id);
}
