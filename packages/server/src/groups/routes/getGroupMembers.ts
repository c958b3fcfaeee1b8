// Lists the members of a group (contract, 4.4).
import { loadGroup, requireGroups } from '../commands.ts';
import { listingScope, seesEmail } from '../../people/policy.ts';
import { presentUser } from '../../content/present.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';
import { listMembers } from '../store.ts';

export async function getGroupMembers(
  services: Services,
  { params, caller }: ApiRequest<'getGroupMembers'>,
): Promise<ApiAnswer<'getGroupMembers'>> {
  requireGroups(services);
  const group = await loadGroup(services.storage.db, params.group_guid);
  const members = await listMembers(services.storage.db, group.guid);
  const { only } = listingScope(services.config, caller);
  const rows = members.filter((row) => only === undefined || row.guid === only);
  const view = { email: seesEmail(services.config, caller) };
  return { current_page: 1, results: rows.map((row) => presentUser(row, view)), total: rows.length };
}
