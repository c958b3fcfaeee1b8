// Reads one bundle (contract, 4.2).
import { loadBundle } from '../commands.ts';
import { showBundle } from '../show-bundle.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function getBundleGa(
  services: Services,
  { params, caller }: ApiRequest<'getBundleGa'>,
): Promise<ApiAnswer<'getBundleGa'>> {
  const { bundle, content } = await loadBundle(
    services.storage.db,
    params.id,
    caller,
    'getBundle',
    params.guid,
  );
  return showBundle(services, bundle, content.bundle_id, caller);
}
