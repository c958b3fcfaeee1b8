// The package repositories of a content item.
import type { ApiResponse, ApiRequest } from '../../http/request.ts';
import { loadContent } from '../commands.ts';
import { setPackageSources as setCommand, type Parts } from './commands.ts';
import { presentSource } from './present.ts';
import { listPackageSources } from './store.ts';

export const packageSourcesRoutes = { getPackageSources, setPackageSources };

async function getPackageSources(
  { storage }: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getPackageSources'>,
): Promise<ApiResponse<'getPackageSources'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readEnvironment');
  return (await listPackageSources(storage.db, content.guid)).map(presentSource);
}

async function setPackageSources(
  parts: Parts,
  { params, body, caller }: ApiRequest<'setPackageSources'>,
): Promise<ApiResponse<'setPackageSources'>> {
  const rows = await setCommand(parts, caller, params.guid, body.sources);
  return rows.map(presentSource);
}
