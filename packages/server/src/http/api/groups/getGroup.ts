// Reads one group (contract, 4.4).
import { loadGroup, requireGroups } from '../../../commands/groups.ts';
import { presentGroup } from '../../../domain/presenters.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function getGroup(
  services: Services,
  { params }: ApiRequest<'getGroup'>,
): Promise<ApiAnswer<'getGroup'>> {
  requireGroups(services);
  return presentGroup(await loadGroup(services.storage.db, params.guid));
}
