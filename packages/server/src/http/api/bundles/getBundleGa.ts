// Reads one bundle (contract, 4.2).
import { loadBundle } from '../../../commands/bundles.ts';
import { presentBundle } from '../../../domain/presenters.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function getBundleGa(
  { storage }: Services,
  { params, caller }: ApiRequest<'getBundleGa'>,
): Promise<ApiAnswer<'getBundleGa'>> {
  const { bundle, content } = await loadBundle(storage.db, params.id, caller, 'getBundle', params.guid);
  return presentBundle(bundle, content.bundle_id, caller.role);
}
