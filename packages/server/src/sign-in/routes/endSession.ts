// Ends a session of a user: an addition beside the contract.
import { endSession as endCommand } from '../sessions.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export function endSession(
  services: Services,
  { params, caller }: ApiRequest<'endSession'>,
): Promise<ApiAnswer<'endSession'>> {
  return endCommand(services, caller, params.guid, params.id);
}
