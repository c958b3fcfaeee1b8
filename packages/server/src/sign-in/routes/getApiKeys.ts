// Lists the API keys of a user, without the keys themselves.
import { presentApiKey } from '../../../domain/presenters.ts';
import { requireKeyRights } from '../../../commands/api-keys.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';
import { listApiKeys } from '../../../storage/credentials.ts';

export async function getApiKeys(
  services: Services,
  { params, caller }: ApiRequest<'getApiKeys'>,
): Promise<ApiAnswer<'getApiKeys'>> {
  await requireKeyRights(services, caller, params.guid);
  return (await listApiKeys(services.storage.db, params.guid)).map(presentApiKey);
}
