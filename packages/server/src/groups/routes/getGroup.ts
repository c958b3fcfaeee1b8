// Reads one group (contract, 4.4).
import { loadGroup, requireGroups, ownerOf } from '../commands.ts';
import { presentGroup } from '../../content/present.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function getGroup(
  services: Services,
  { params }: ApiRequest<'getGroup'>,
): Promise<ApiAnswer<'getGroup'>> {
  requireGroups(services);
  const group = await loadGroup(services.storage.db, params.guid);
  return presentGroup(group, ownerOf(services, group));
}
