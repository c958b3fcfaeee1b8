// Sets and removes environment variables.
import { setVariables } from '../commands.ts';
import type { ApiAnswer, ApiRequest } from '../../../http/request.ts';
import type { Services } from '../../../main/services.ts';

export function updateEnvironment(
  services: Services,
  { params, body, caller }: ApiRequest<'updateEnvironment'>,
): Promise<ApiAnswer<'updateEnvironment'>> {
  return setVariables(services, caller, params.guid, body);
}
