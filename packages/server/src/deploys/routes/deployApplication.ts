// Starts a deploy, for older clients.
import { startDeploy } from '../../content/commands.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function deployApplication(
  services: Services,
  { params, body, caller }: ApiRequest<'deployApplication'>,
): Promise<ApiAnswer<'deployApplication'>> {
  const chosen = String(body.bundle ?? '');
  const id = await startDeploy(services, caller, params.guid, chosen === '' ? null : chosen);
  return { id, task_id: id };
}
