// The package repositories of a content item.
import type { Audit } from '../../audit/record.ts';
import type { ApiResponse, ApiRequest } from '../../http/request.ts';
import type { Config } from '../../main/config/settings.ts';
import type { Storage } from '../../platform/database/storage.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { loadContent } from '../commands.ts';
import * as commands from './commands.ts';
import { listPackageSources } from './store.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly audit: Audit;
  readonly secrets: Secrets;
}

export const packageSourcesRoutes = { getPackageSources, setPackageSources };

async function getPackageSources(
  { storage }: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getPackageSources'>,
): Promise<ApiResponse<'getPackageSources'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readEnvironment');
  return (await listPackageSources(storage.db, content.guid)).map(commands.presentSource);
}

async function setPackageSources(
  parts: Parts,
  { params, body, caller }: ApiRequest<'setPackageSources'>,
): Promise<ApiResponse<'setPackageSources'>> {
  const rows = await commands.setPackageSources(parts, caller, params.guid, body.sources);
  return rows.map(commands.presentSource);
}
