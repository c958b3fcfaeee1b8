// Reads one content item (contract, 4.3).
import { loadContent } from '../commands.ts';
import { presentContent } from '../present.ts';
import { viewOf } from '../view.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function getContent(
  services: Services,
  { params, caller, base }: ApiRequest<'getContent'>,
): Promise<ApiAnswer<'getContent'>> {
  const found = await loadContent(services.storage.db, params.guid, caller, 'getContent');
  return presentContent(found.content, await viewOf(services, found, base));
}
