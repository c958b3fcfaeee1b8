// Answers the archive byte for byte (contract, 4.2).
import { loadBundle } from '../../../commands/bundles.ts';
import { sendBundleArchive } from './send-archive.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function downloadBundleGa(
  services: Services,
  { params, caller }: ApiRequest<'downloadBundleGa'>,
): Promise<ApiAnswer<'downloadBundleGa'>> {
  const found = await loadBundle(services.storage.db, params.id, caller, 'downloadBundle', params.guid);
  return sendBundleArchive(services, caller, found);
}
