// Takes the vanity path of a content item away.
import { removeVanityPath } from '../../../commands/permissions.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export function deleteVanity(
  services: Services,
  { params, caller }: ApiRequest<'deleteVanity'>,
): Promise<ApiAnswer<'deleteVanity'>> {
  return removeVanityPath(services, caller, params.guid);
}
