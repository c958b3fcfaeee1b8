// Reads one bundle (contract, 4.2).
import { loadBundle } from '../../../commands/bundles.ts';
import { presentBundle } from '../../../domain/presenters.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function getBundle(
  { storage }: Services,
  { params, caller }: ApiRequest<'getBundle'>,
): Promise<ApiAnswer<'getBundle'>> {
  const { bundle, content } = await loadBundle(storage.db, params.id, caller, 'getBundle');
  return presentBundle(bundle, content.bundle_id, caller.role);
}
