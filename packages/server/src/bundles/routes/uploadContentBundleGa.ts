// Takes in a bundle (GA form).
import { presentBundle } from '../../content/present.ts';
import { receiveUpload } from '../receive-upload.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function uploadContentBundleGa(
  services: Services,
  { params, caller, raw, signal, setHeader }: Omit<ApiRequest<'uploadContentBundleGa'>, 'query' | 'body'>,
): Promise<ApiAnswer<'uploadContentBundleGa'>> {
  const bundle = await receiveUpload(services, caller, params.guid, raw, signal);
  setHeader('X-Content-Checksum', bundle.md5);
  return presentBundle(bundle, { activeId: null, callerRole: caller.role, size: bundle.size });
}
