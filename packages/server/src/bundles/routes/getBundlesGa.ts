// Lists all bundles of a content item (GA form).
import { loadContent } from '../../../commands/content.ts';
import { showBundle } from './show-bundle.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';
import { listBundles } from '../../../storage/bundles.ts';

export async function getBundlesGa(
  services: Services,
  { params, caller }: ApiRequest<'getBundlesGa'>,
): Promise<ApiAnswer<'getBundlesGa'>> {
  const { content } = await loadContent(services.storage.db, params.guid, caller, 'getBundle');
  const { rows } = await listBundles(services.storage.db, content.guid);
  return Promise.all(rows.map((row) => showBundle(services, row, content.bundle_id, caller)));
}
