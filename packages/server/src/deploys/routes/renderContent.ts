// Renders a document again.
import { startRender } from '../../../commands/content.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function renderContent(
  services: Services,
  { params, caller }: ApiRequest<'renderContent'>,
): Promise<ApiAnswer<'renderContent'>> {
  return { task_id: await startRender(services, caller, params.guid) };
}
