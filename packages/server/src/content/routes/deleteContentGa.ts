// Deletes a content item with everything on disk (contract, 4.3).
import { deleteContent as deleteContentCommand } from '../commands.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export function deleteContentGa(
  services: Services,
  { params, caller }: ApiRequest<'deleteContentGa'>,
): Promise<ApiAnswer<'deleteContentGa'>> {
  return deleteContentCommand(services, caller, params.guid);
}
