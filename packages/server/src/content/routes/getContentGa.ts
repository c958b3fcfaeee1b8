// Reads one content item (contract, 4.3).
import { loadContent } from '../../../commands/content.ts';
import { presentContentGa } from '../../../domain/presenters.ts';
import { viewOf } from './view.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function getContentGa(
  services: Services,
  { params, caller, base }: ApiRequest<'getContentGa'>,
): Promise<ApiAnswer<'getContentGa'>> {
  const found = await loadContent(services.storage.db, params.guid, caller, 'getContent');
  return presentContentGa(found.content, await viewOf(services, found, base));
}
