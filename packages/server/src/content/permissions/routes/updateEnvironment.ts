// Sets and removes environment variables.
import { setVariables } from '../../../commands/permissions.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export function updateEnvironment(
  services: Services,
  { params, body, caller }: ApiRequest<'updateEnvironment'>,
): Promise<ApiAnswer<'updateEnvironment'>> {
  return setVariables(services, caller, params.guid, body);
}
