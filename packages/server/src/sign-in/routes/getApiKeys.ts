// Lists the API keys of a user, without the keys themselves.
import { presentApiKey } from '../../content/present.ts';
import { requireKeyRights } from '../api-keys.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';
import { listApiKeys } from '../store.ts';

export async function getApiKeys(
  services: Services,
  { params, caller }: ApiRequest<'getApiKeys'>,
): Promise<ApiAnswer<'getApiKeys'>> {
  await requireKeyRights(services, caller, params.guid);
  return (await listApiKeys(services.storage.db, params.guid)).map(presentApiKey);
}
