// Lists the names of environment variables, never their values.
import { loadContent } from '../../commands.ts';
import type { ApiAnswer, ApiRequest } from '../../../http/request.ts';
import type { Services } from '../../../main/services.ts';
import { listVariableNames } from '../../extras-store.ts';

export async function getEnvironment(
  { storage }: Services,
  { params, caller }: ApiRequest<'getEnvironment'>,
): Promise<ApiAnswer<'getEnvironment'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readEnvironment');
  return listVariableNames(storage.db, content.guid);
}
