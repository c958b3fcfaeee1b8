// Starts a deploy (contract, 4.3).
import { startDeploy } from '../../content/commands.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function deployContentBundleGa(
  services: Services,
  { params, body, caller }: ApiRequest<'deployContentBundleGa'>,
): Promise<ApiAnswer<'deployContentBundleGa'>> {
  return { task_id: await startDeploy(services, caller, params.guid, body.bundle_id ?? null) };
}
