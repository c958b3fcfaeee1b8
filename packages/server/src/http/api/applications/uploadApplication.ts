// Takes in a bundle, for older clients.
import { presentBundle } from '../../../domain/presenters.ts';
import { receiveUpload } from '../bundles/receive-upload.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function uploadApplication(
  services: Services,
  { params, caller, raw, signal, setHeader }: ApiRequest<'uploadApplication'>,
): Promise<ApiAnswer<'uploadApplication'>> {
  const bundle = await receiveUpload(services, caller, params.guid, raw, signal);
  setHeader('X-Content-Checksum', bundle.md5);
  return presentBundle(bundle, null, caller.role);
}
