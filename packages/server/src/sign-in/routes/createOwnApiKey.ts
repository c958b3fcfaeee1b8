// Creates an API key for oneself.
import { createApiKey as createApiKeyCommand } from '../api-keys.ts';
import { newKeyOf } from '../new-key.ts';
import { presentApiKey } from '../../content/present.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function createOwnApiKey(
  services: Services,
  { body, caller }: ApiRequest<'createOwnApiKey'>,
): Promise<ApiAnswer<'createOwnApiKey'>> {
  const { row, key } = await createApiKeyCommand(services, caller, caller.guid, newKeyOf(body));
  return { ...presentApiKey(row), key };
}
