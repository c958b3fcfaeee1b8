// Changes a content item (contract, 4.3).
import { updateContent as updateContentCommand } from '../commands.ts';
import { presentContent } from '../present.ts';
import { viewOf } from '../view.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function updateContent(
  services: Services,
  { params, body, caller, base }: ApiRequest<'updateContent'>,
): Promise<ApiAnswer<'updateContent'>> {
  const found = await updateContentCommand(services, caller, params.guid, body);
  return presentContent(found.content, await viewOf(services, found, base));
}
