// Renders a document again.
import { startRender } from '../../content/commands.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function renderContent(
  services: Services,
  { params, caller }: ApiRequest<'renderContent'>,
): Promise<ApiAnswer<'renderContent'>> {
  return { task_id: await startRender(services, caller, params.guid) };
}
