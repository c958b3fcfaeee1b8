// Deletes a content item with everything on disk (contract, 4.3).
import { deleteContent as deleteContentCommand } from '../commands.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export function deleteContent(
  services: Services,
  { params, caller }: ApiRequest<'deleteContent'>,
): Promise<ApiAnswer<'deleteContent'>> {
  return deleteContentCommand(services, caller, params.guid);
}
