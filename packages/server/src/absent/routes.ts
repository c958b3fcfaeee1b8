// Operations that clients call but this server does not support: execution environments and OAuth integrations.
import { errors } from '@pressroom/api/contract';
import { loadContent } from '../content/commands.ts';
import type { ContentAction } from '../content/policy.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';

interface Parts {
  readonly storage: Storage;
}

interface OfContent {
  readonly params: { readonly guid: string };
  readonly caller: Caller;
}

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

function requireRight({ storage }: Parts, { params, caller }: OfContent, action: ContentAction) {
  return loadContent(storage.db, params.guid, caller, action);
}

/** Lists the OAuth integrations of a content item. */
async function getContentIntegrations(parts: Parts, request: OfContent): Promise<never[]> {
  await requireRight(parts, request, 'getContent');
  return [];
}
