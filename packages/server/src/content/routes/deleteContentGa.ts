// Deletes a content item with everything on disk (contract, 4.3).
import { deleteContent as deleteContentCommand } from '../../../commands/content.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export function deleteContentGa(
  services: Services,
  { params, caller }: ApiRequest<'deleteContentGa'>,
): Promise<ApiAnswer<'deleteContentGa'>> {
  return deleteContentCommand(services, caller, params.guid);
}
