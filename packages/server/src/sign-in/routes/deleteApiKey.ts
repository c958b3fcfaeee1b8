// Revokes an API key.
import { revokeApiKey } from '../api-keys.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export function deleteApiKey(
  services: Services,
  { params, caller }: ApiRequest<'deleteApiKey'>,
): Promise<ApiAnswer<'deleteApiKey'>> {
  return revokeApiKey(services, caller, params.guid, params.id);
}
