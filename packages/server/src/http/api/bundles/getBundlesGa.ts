// Lists all bundles of a content item (GA form).
import { loadContent } from '../../../commands/content.ts';
import { presentBundle } from '../../../domain/presenters.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';
import { listBundles } from '../../../storage/bundles.ts';

export async function getBundlesGa(
  { storage }: Services,
  { params, caller }: ApiRequest<'getBundlesGa'>,
): Promise<ApiAnswer<'getBundlesGa'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'getBundle');
  const { rows } = await listBundles(storage.db, content.guid);
  return rows.map((row) => presentBundle(row, content.bundle_id, caller.role));
}
