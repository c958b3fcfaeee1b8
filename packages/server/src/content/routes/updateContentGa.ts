// Changes a content item (contract, 4.3).
import { updateContent as updateContentCommand } from '../commands.ts';
import { presentContentGa } from '../present.ts';
import { viewOf } from '../view.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function updateContentGa(
  services: Services,
  { params, body, caller, base }: ApiRequest<'updateContentGa'>,
): Promise<ApiAnswer<'updateContentGa'>> {
  const found = await updateContentCommand(services, caller, params.guid, body);
  return presentContentGa(found.content, await viewOf(services, found, base));
}
