// Where a person looks at a content item and its logs.
import { loadContent } from '../../commands.ts';
import { dashboardUrl } from '../../present.ts';
import type { ApiAnswer, ApiRequest } from '../../../http/request.ts';
import type { Services } from '../../../main/services.ts';

export async function getApplicationConfig(
  { storage }: Services,
  { params, caller, base }: ApiRequest<'getApplicationConfig'>,
): Promise<ApiAnswer<'getApplicationConfig'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'getContent');
  const config_url = dashboardUrl(base, content.guid);
  return { config_url, logs_url: `${config_url}/logs` };
}
