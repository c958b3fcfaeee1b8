// The package repositories of a content item.
import type { ApiResponse, ApiRequest } from '../../http/request.ts';
import { loadContent } from '../commands.ts';
import * as commands from './commands.ts';
import { listPackageSources } from './store.ts';

export const packageSourcesRoutes = { getPackageSources, setPackageSources };

async function getPackageSources(
  { storage }: Pick<commands.Parts, 'storage'>,
  { params, caller }: ApiRequest<'getPackageSources'>,
): Promise<ApiResponse<'getPackageSources'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readEnvironment');
  return (await listPackageSources(storage.db, content.guid)).map(commands.presentSource);
}

async function setPackageSources(
  parts: commands.Parts,
  { params, body, caller }: ApiRequest<'setPackageSources'>,
): Promise<ApiResponse<'setPackageSources'>> {
  const rows = await commands.setPackageSources(parts, caller, params.guid, body.sources);
  return rows.map(commands.presentSource);
}
