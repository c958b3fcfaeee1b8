// What clients ask for that this server does not have: Git, images to run content in, integrations.
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
  deleteRepository,
  getContentIntegrations,
  getExecutionEnvironment: nothing,
  getExecutionEnvironments: none,
  getIntegration: nothing,
  getIntegrations: none,
  getRepository,
  setRepository,
  updateRepository: setRepository,
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

/** @throws ApiError 17 always */
async function deleteRepository(parts: Parts, request: OfContent): Promise<never> {
  await requireRight(parts, request, 'updateContent');
  throw errors.itemToRemoveNotFound({ message: 'this content is not managed by Git' });
}

/** Lists the OAuth integrations of a content item. */
async function getContentIntegrations(parts: Parts, request: OfContent): Promise<never[]> {
  await requireRight(parts, request, 'getContent');
  return [];
}

/** @throws ApiError 4 always */
async function getRepository(parts: Parts, request: OfContent): Promise<never> {
  await requireRight(parts, request, 'getContent');
  throw errors.notFound({ message: 'this content is not managed by Git' });
}

/** @throws ApiError 145 always */
async function setRepository(parts: Parts, request: OfContent): Promise<never> {
  await requireRight(parts, request, 'updateContent');
  throw errors.gitDisabled({ message: 'this server does not deploy from Git: upload a bundle instead' });
}
