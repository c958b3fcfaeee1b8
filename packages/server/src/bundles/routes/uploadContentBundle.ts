// Takes in a bundle (contract, 4.3).
import { receiveUpload } from '../receive-upload.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function uploadContentBundle(
  services: Services,
  { params, caller, raw, signal, setHeader }: ApiRequest<'uploadContentBundle'>,
): Promise<ApiAnswer<'uploadContentBundle'>> {
  const { id, size, md5 } = await receiveUpload(services, caller, params.guid, raw, signal);
  setHeader('X-Content-Checksum', md5);
  return { bundle_id: String(id), size };
}
