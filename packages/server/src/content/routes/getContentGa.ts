// Reads one content item (contract, 4.3).
import { loadContent } from '../commands.ts';
import { presentContentGa } from '../present.ts';
import { viewOf } from '../view.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function getContentGa(
  services: Services,
  { params, caller, base }: ApiRequest<'getContentGa'>,
): Promise<ApiAnswer<'getContentGa'>> {
  const found = await loadContent(services.storage.db, params.guid, caller, 'getContent');
  return presentContentGa(found.content, await viewOf(services, found, base));
}
