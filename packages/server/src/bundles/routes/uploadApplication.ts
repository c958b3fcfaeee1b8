// Takes in a bundle, for older clients.
import { uploadContentBundleGa } from '../bundles/uploadContentBundleGa.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export function uploadApplication(
  services: Services,
  request: ApiRequest<'uploadApplication'>,
): Promise<ApiAnswer<'uploadApplication'>> {
  return uploadContentBundleGa(services, request);
}
