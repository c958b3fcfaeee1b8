// API operations on the environment variables of a content item.
import type { ApiResponse, ApiRequest } from '../../http/request.ts';
import { loadContent } from '../commands.ts';
import { replaceVariables, setVariables, type Parts } from './commands.ts';
import { listVariableNames } from './store.ts';

export const variablesRoutes = { getEnvironment, setEnvironment, updateEnvironment };

/** Lists the names of environment variables, never their values. */
async function getEnvironment(
  { storage }: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getEnvironment'>,
): Promise<ApiResponse<'getEnvironment'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readEnvironment');
  return listVariableNames(storage.db, content.guid);
}

/** Replaces all environment variables. */
function setEnvironment(
  parts: Pick<Parts, 'storage' | 'audit' | 'secrets' | 'contentChanged'>,
  { params, body, caller }: ApiRequest<'setEnvironment'>,
): Promise<ApiResponse<'setEnvironment'>> {
  return replaceVariables(parts, caller, params.guid, body);
}

/** Sets and removes environment variables. */
function updateEnvironment(
  parts: Pick<Parts, 'storage' | 'audit' | 'secrets' | 'contentChanged'>,
  { params, body, caller }: ApiRequest<'updateEnvironment'>,
): Promise<ApiResponse<'updateEnvironment'>> {
  return setVariables(parts, caller, params.guid, body);
}
