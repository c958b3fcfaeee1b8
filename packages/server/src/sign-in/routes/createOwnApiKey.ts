// Creates an API key for oneself.
import { createApiKey as createApiKeyCommand } from '../../../commands/api-keys.ts';
import { newKeyOf } from './new-key.ts';
import { presentApiKey } from '../../../domain/presenters.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function createOwnApiKey(
  services: Services,
  { body, caller }: ApiRequest<'createOwnApiKey'>,
): Promise<ApiAnswer<'createOwnApiKey'>> {
  const { row, key } = await createApiKeyCommand(services, caller, caller.guid, newKeyOf(body));
  return { ...presentApiKey(row), key };
}
