// Reads one group (contract, 4.4).
import { loadGroup, requireGroups, ownerOf } from '../../../commands/groups.ts';
import { presentGroup } from '../../../domain/presenters.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function getGroup(
  services: Services,
  { params }: ApiRequest<'getGroup'>,
): Promise<ApiAnswer<'getGroup'>> {
  requireGroups(services);
  const group = await loadGroup(services.storage.db, params.guid);
  return presentGroup(group, ownerOf(services, group));
}
