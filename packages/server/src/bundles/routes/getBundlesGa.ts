// Lists all bundles of a content item (GA form).
import { loadContent } from '../../content/commands.ts';
import { showBundle } from '../show-bundle.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';
import { listBundles } from '../store.ts';

export async function getBundlesGa(
  services: Services,
  { params, caller }: ApiRequest<'getBundlesGa'>,
): Promise<ApiAnswer<'getBundlesGa'>> {
  const { content } = await loadContent(services.storage.db, params.guid, caller, 'getBundle');
  const { rows } = await listBundles(services.storage.db, content.guid);
  return Promise.all(rows.map((row) => showBundle(services, row, content.bundle_id, caller)));
}
