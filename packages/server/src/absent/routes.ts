// Operations that clients call but this server does not support: execution environments and OAuth integrations.
import { errors } from '@pressroom/api/contract';
import { loadContent } from '../content/commands.ts';
import type { ApiRequest } from '../http/request.ts';
import type { Storage } from '../platform/database/storage.ts';

export const absentRoutes = {
  getContentIntegrations,
  getExecutionEnvironment: nothing,
  getExecutionEnvironments: none,
  getIntegration: nothing,
  getIntegrations: none,
};

function none(): never[] {
  return [];
}

function nothing(): never {
  throw errors.notFound();
}

/** Lists the OAuth integrations of a content item. */
async function getContentIntegrations(
  { storage }: { readonly storage: Storage },
  { params, caller }: ApiRequest<'getContentIntegrations'>,
): Promise<never[]> {
  await loadContent(storage.db, params.guid, caller, 'getContent');
  return [];
}
