// Lists users (contract, 4.8).
import { LICENSED_FOR, listingScope, parseRoles, parseStatuses, seesEmail } from '../policy.ts';
import { presentUser } from '../../content/present.ts';
import { offsetOf } from '../../http/paging.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';
import { listUsers } from '../store.ts';

export async function getUsers(
  services: Services,
  { query, caller }: ApiRequest<'getUsers'>,
): Promise<ApiAnswer<'getUsers'>> {
  const prefix = query.prefix || undefined;
  const filter = {
    ...listingScope(services.config, caller),
    roles: parseRoles(query.user_role),
    statuses: parseStatuses(query.account_status, caller),
    activeSince: services.clock.now() - LICENSED_FOR,
    ...(prefix !== undefined && { prefix }),
  };
  // A prefix search always answers its first page.
  const page_number = prefix === undefined ? query.page_number : 1;
  const page = { ...offsetOf({ ...query, page_number }), ascending: query.asc_order };
  const { rows, total } = await listUsers(services.storage.db, filter, page);
  const view = { email: seesEmail(services.config, caller) };
  return { current_page: page_number, results: rows.map((row) => presentUser(row, view)), total };
}
