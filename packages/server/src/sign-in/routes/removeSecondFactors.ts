// Removes the second factors of a user who lost them: an addition beside the contract.
import { removeSecondFactors as removeCommand } from '../../../commands/second-factors.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export function removeSecondFactors(
  services: Services,
  { params, caller }: ApiRequest<'removeSecondFactors'>,
): Promise<ApiAnswer<'removeSecondFactors'>> {
  return removeCommand(services, caller, params.guid);
}
