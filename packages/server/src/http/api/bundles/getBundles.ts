// Lists the bundles of a content item, page by page (contract, 4.2).
import { loadContent } from '../../../commands/content.ts';
import { presentBundle } from '../../../domain/presenters.ts';
import { offsetOf } from '../../paging.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';
import { listBundles } from '../../../storage/bundles.ts';

export async function getBundles(
  { storage }: Services,
  { params, query, caller }: ApiRequest<'getBundles'>,
): Promise<ApiAnswer<'getBundles'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'getBundle');
  const { rows, total } = await listBundles(storage.db, content.guid, offsetOf(query));
  const results = rows.map((row) => presentBundle(row, content.bundle_id, caller.role));
  return { current_page: query.page_number, results, total };
}
