// Lists the bundles of a content item, page by page (contract, 4.2).
import { loadContent } from '../../../commands/content.ts';
import { showBundle } from './show-bundle.ts';
import { offsetOf } from '../../paging.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';
import { listBundles } from '../../../storage/bundles.ts';

export async function getBundles(
  services: Services,
  { params, query, caller }: ApiRequest<'getBundles'>,
): Promise<ApiAnswer<'getBundles'>> {
  const { content } = await loadContent(services.storage.db, params.guid, caller, 'getBundle');
  const { rows, total } = await listBundles(services.storage.db, content.guid, offsetOf(query));
  const results = await Promise.all(rows.map((row) => showBundle(services, row, content.bundle_id, caller)));
  return { current_page: query.page_number, results, total };
}
