// Changes a content item, for older clients.
import { updateContent } from '../../commands.ts';
import { presentApplication } from '../../present.ts';
import { viewOf } from '../../view.ts';
import type { ApiAnswer, ApiRequest } from '../../../http/request.ts';
import type { Services } from '../../../main/services.ts';

export async function updateApplication(
  services: Services,
  { params, body, caller, base }: ApiRequest<'updateApplication'>,
): Promise<ApiAnswer<'updateApplication'>> {
  const found = await updateContent(services, caller, params.guid, body);
  return presentApplication(found.content, await viewOf(services, found, base));
}
