// Removes the second factors of a user who lost them: an addition beside the contract.
import { removeSecondFactors as removeCommand } from '../second-factors/commands.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export function removeSecondFactors(
  services: Services,
  { params, caller }: ApiRequest<'removeSecondFactors'>,
): Promise<ApiAnswer<'removeSecondFactors'>> {
  return removeCommand(services, caller, params.guid);
}
