// Lists the names of environment variables, never their values.
import { loadContent } from '../../../commands/content.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';
import { listVariableNames } from '../../../storage/content-extras.ts';

export async function getEnvironment(
  { storage }: Services,
  { params, caller }: ApiRequest<'getEnvironment'>,
): Promise<ApiAnswer<'getEnvironment'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readEnvironment');
  return listVariableNames(storage.db, content.guid);
}
