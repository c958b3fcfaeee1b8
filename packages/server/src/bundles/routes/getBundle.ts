// Reads one bundle (contract, 4.2).
import { loadBundle } from '../commands.ts';
import { showBundle } from '../show-bundle.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function getBundle(
  services: Services,
  { params, caller }: ApiRequest<'getBundle'>,
): Promise<ApiAnswer<'getBundle'>> {
  const { bundle, content } = await loadBundle(services.storage.db, params.id, caller, 'getBundle');
  return showBundle(services, bundle, content.bundle_id, caller);
}
