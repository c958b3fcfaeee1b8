// Revokes an API key.
import { revokeApiKey } from '../../../commands/api-keys.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export function deleteApiKey(
  services: Services,
  { params, caller }: ApiRequest<'deleteApiKey'>,
): Promise<ApiAnswer<'deleteApiKey'>> {
  return revokeApiKey(services, caller, params.guid, params.id);
}
