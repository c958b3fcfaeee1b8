// Creates an API key for a user.
import { createApiKey as createApiKeyCommand } from '../api-keys.ts';
import { newKeyOf } from '../new-key.ts';
import { presentApiKey } from '../../content/present.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function createApiKey(
  services: Services,
  { params, body, caller }: ApiRequest<'createApiKey'>,
): Promise<ApiAnswer<'createApiKey'>> {
  const { row, key } = await createApiKeyCommand(services, caller, params.guid, newKeyOf(body));
  return { ...presentApiKey(row), key };
}
