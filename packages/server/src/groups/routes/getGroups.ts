// Lists groups (contract, 4.4).
import { requireGroups, ownerOf } from '../commands.ts';
import { presentGroup } from '../../content/present.ts';
import { offsetOf } from '../../http/paging.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';
import { listGroups } from '../store.ts';

export async function getGroups(
  services: Services,
  { query }: ApiRequest<'getGroups'>,
): Promise<ApiAnswer<'getGroups'>> {
  requireGroups(services);
  // A prefix search always answers its first page.
  const page_number = query.prefix ? 1 : query.page_number;
  const page = { ...offsetOf({ ...query, page_number }), ascending: query.asc_order };
  const { rows, total } = await listGroups(services.storage.db, query.prefix, page);
  return {
    current_page: page_number,
    results: rows.map((row) => presentGroup(row, ownerOf(services, row))),
    total,
  };
}
