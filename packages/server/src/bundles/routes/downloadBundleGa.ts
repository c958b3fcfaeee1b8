// Answers the archive byte for byte (contract, 4.2).
import { loadBundle } from '../commands.ts';
import { sendBundleArchive } from '../send-archive.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function downloadBundleGa(
  services: Services,
  { params, caller }: ApiRequest<'downloadBundleGa'>,
): Promise<ApiAnswer<'downloadBundleGa'>> {
  const found = await loadBundle(services.storage.db, params.id, caller, 'downloadBundle', params.guid);
  return sendBundleArchive(services, caller, found);
}
