// Takes in a bundle, for older clients.
import { uploadContentBundleGa } from './uploadContentBundleGa.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export function uploadApplication(
  services: Services,
  request: ApiRequest<'uploadApplication'>,
): Promise<ApiAnswer<'uploadApplication'>> {
  return uploadContentBundleGa(services, request);
}
