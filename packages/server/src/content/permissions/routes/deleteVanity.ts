// Takes the vanity path of a content item away.
import { removeVanityPath } from '../commands.ts';
import type { ApiAnswer, ApiRequest } from '../../../http/request.ts';
import type { Services } from '../../../main/services.ts';

export function deleteVanity(
  services: Services,
  { params, caller }: ApiRequest<'deleteVanity'>,
): Promise<ApiAnswer<'deleteVanity'>> {
  return removeVanityPath(services, caller, params.guid);
}
