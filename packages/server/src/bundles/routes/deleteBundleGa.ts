// Deletes a bundle that is not active (contract, 4.2).
import { deleteBundle as deleteBundleCommand } from '../commands.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export function deleteBundleGa(
  services: Services,
  { params, caller }: ApiRequest<'deleteBundleGa'>,
): Promise<ApiAnswer<'deleteBundleGa'>> {
  return deleteBundleCommand(services, caller, params.id, params.guid);
}
