// Starts a deploy (contract, 4.3).
import { startDeploy } from '../../content/commands.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function deployContentBundle(
  services: Services,
  { params, body, caller }: ApiRequest<'deployContentBundle'>,
): Promise<ApiAnswer<'deployContentBundle'>> {
  return { task_id: await startDeploy(services, caller, params.guid, body.bundle_id ?? null) };
}
