// Reads one content item, for older clients.
import { loadContent } from '../../../commands/content.ts';
import { presentApplication } from '../../../domain/presenters.ts';
import { viewOf } from '../content/view.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function getApplication(
  services: Services,
  { params, caller, base }: ApiRequest<'getApplication'>,
): Promise<ApiAnswer<'getApplication'>> {
  const found = await loadContent(services.storage.db, params.guid, caller, 'getContent');
  return presentApplication(found.content, await viewOf(services, found, base));
}
