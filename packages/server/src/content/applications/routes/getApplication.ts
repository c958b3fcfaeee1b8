// Reads one content item, for older clients.
import { loadContent } from '../../commands.ts';
import { presentApplication } from '../../present.ts';
import { viewOf } from '../../view.ts';
import type { ApiAnswer, ApiRequest } from '../../../http/request.ts';
import type { Services } from '../../../main/services.ts';

export async function getApplication(
  services: Services,
  { params, caller, base }: ApiRequest<'getApplication'>,
): Promise<ApiAnswer<'getApplication'>> {
  const found = await loadContent(services.storage.db, params.guid, caller, 'getContent');
  return presentApplication(found.content, await viewOf(services, found, base));
}
