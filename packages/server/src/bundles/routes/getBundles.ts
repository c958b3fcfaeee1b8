// Lists the bundles of a content item, page by page (contract, 4.2).
import { loadContent } from '../../content/commands.ts';
import { showBundle } from '../show-bundle.ts';
import { offsetOf } from '../../http/paging.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';
import { listBundles } from '../store.ts';

export async function getBundles(
  services: Services,
  { params, query, caller }: ApiRequest<'getBundles'>,
): Promise<ApiAnswer<'getBundles'>> {
  const { content } = await loadContent(services.storage.db, params.guid, caller, 'getBundle');
  const { rows, total } = await listBundles(services.storage.db, content.guid, offsetOf(query));
  const results = await Promise.all(rows.map((row) => showBundle(services, row, content.bundle_id, caller)));
  return { current_page: query.page_number, results, total };
}
