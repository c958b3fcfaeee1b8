// Gives a content item a vanity path.
import { setVanityPath } from '../commands.ts';
import { presentVanity } from '../present.ts';
import type { ApiAnswer, ApiRequest } from '../../../http/request.ts';
import type { Services } from '../../../main/services.ts';

export async function setVanity(
  services: Services,
  { params, body, caller }: ApiRequest<'setVanity'>,
): Promise<ApiAnswer<'setVanity'>> {
  return presentVanity(await setVanityPath(services, caller, params.guid, body.path, body.force ?? false));
}
