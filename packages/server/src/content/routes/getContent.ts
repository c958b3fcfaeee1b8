// Reads one content item (contract, 4.3).
import { loadContent } from '../../../commands/content.ts';
import { presentContent } from '../../../domain/presenters.ts';
import { viewOf } from './view.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function getContent(
  services: Services,
  { params, caller, base }: ApiRequest<'getContent'>,
): Promise<ApiAnswer<'getContent'>> {
  const found = await loadContent(services.storage.db, params.guid, caller, 'getContent');
  return presentContent(found.content, await viewOf(services, found, base));
}
