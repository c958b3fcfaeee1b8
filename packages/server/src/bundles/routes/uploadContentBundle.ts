// Takes in a bundle (contract, 4.3).
import { receiveUpload } from '../bundles/receive-upload.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function uploadContentBundle(
  services: Services,
  { params, caller, raw, signal, setHeader }: ApiRequest<'uploadContentBundle'>,
): Promise<ApiAnswer<'uploadContentBundle'>> {
  const { id, size, md5 } = await receiveUpload(services, caller, params.guid, raw, signal);
  setHeader('X-Content-Checksum', md5);
  return { bundle_id: String(id), size };
}
