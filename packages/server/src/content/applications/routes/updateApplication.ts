// Changes a content item, for older clients.
import { updateContent } from '../../../commands/content.ts';
import { presentApplication } from '../../../domain/presenters.ts';
import { viewOf } from '../content/view.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function updateApplication(
  services: Services,
  { params, body, caller, base }: ApiRequest<'updateApplication'>,
): Promise<ApiAnswer<'updateApplication'>> {
  const found = await updateContent(services, caller, params.guid, body);
  return presentApplication(found.content, await viewOf(services, found, base));
}
