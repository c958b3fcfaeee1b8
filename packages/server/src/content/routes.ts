// Content items (contract, 4.3).
import type { Audit } from '../audit/record.ts';
import type { DeployService } from '../deploys/deploy-service.ts';
import type { ApiAnswer, ApiRequest } from '../http/request.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Config } from '../main/config/settings.ts';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { TaskService } from '../tasks/task-service.ts';
import { contentBaseOf } from './address.ts';
import {
  createContent as createContentCommand,
  deleteContent as deleteContentCommand,
  loadContent,
  updateContent as updateContentCommand,
} from './commands.ts';
import { contentRole } from './policy.ts';
import { presentContent, presentContentGa } from './present.ts';
import { listContent } from './store.ts';
import { viewOf } from './view.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: Audit;
  readonly blobs: BlobStore;
  readonly tasks: TaskService;
  readonly deploys: DeployService;
  readonly jobs: Jobs;
  readonly contentChanged: (guid: string) => void;
}

export const contentRoutes = {
  createContent,
  createContentGa,
  deleteContent,
  deleteContentGa,
  getContent,
  getContentGa,
  listContentGa,
  updateContent,
  updateContentGa,
};

/** Creates a content item (contract, 4.3). */
async function createContent(
  services: Pick<Parts, 'config' | 'storage' | 'clock' | 'ids' | 'audit'>,
  { body, caller, base }: ApiRequest<'createContent'>,
): Promise<ApiAnswer<'createContent'>> {
  const { content, role } = await createContentCommand(services, caller, body);
  return presentContent(content, { role, base, contentBase: contentBaseOf(services.config, base) });
}

/** Creates a content item (contract, 4.3). */
async function createContentGa(
  services: Pick<Parts, 'config' | 'storage' | 'clock' | 'ids' | 'audit'>,
  { body, caller, base }: ApiRequest<'createContentGa'>,
): Promise<ApiAnswer<'createContentGa'>> {
  const { content, role } = await createContentCommand(services, caller, body);
  return presentContentGa(content, { role, base, contentBase: contentBaseOf(services.config, base) });
}

/** Deletes a content item with everything on disk (contract, 4.3). */
function deleteContent(
  services: Pick<Parts, 'storage' | 'audit' | 'blobs' | 'tasks' | 'deploys' | 'jobs' | 'contentChanged'>,
  { params, caller }: ApiRequest<'deleteContent'>,
): Promise<ApiAnswer<'deleteContent'>> {
  return deleteContentCommand(services, caller, params.guid);
}

/** Deletes a content item with everything on disk (contract, 4.3). */
function deleteContentGa(
  services: Pick<Parts, 'storage' | 'audit' | 'blobs' | 'tasks' | 'deploys' | 'jobs' | 'contentChanged'>,
  { params, caller }: ApiRequest<'deleteContentGa'>,
): Promise<ApiAnswer<'deleteContentGa'>> {
  return deleteContentCommand(services, caller, params.guid);
}

/** Reads one content item (contract, 4.3). */
async function getContent(
  services: Pick<Parts, 'config' | 'storage'>,
  { params, caller, base }: ApiRequest<'getContent'>,
): Promise<ApiAnswer<'getContent'>> {
  const found = await loadContent(services.storage.db, params.guid, caller, 'getContent');
  return presentContent(found.content, await viewOf(services, found, base));
}

/** Reads one content item (contract, 4.3). */
async function getContentGa(
  services: Pick<Parts, 'config' | 'storage'>,
  { params, caller, base }: ApiRequest<'getContentGa'>,
): Promise<ApiAnswer<'getContentGa'>> {
  const found = await loadContent(services.storage.db, params.guid, caller, 'getContent');
  return presentContentGa(found.content, await viewOf(services, found, base));
}

/** Lists the content items that the caller may see (GA). */
async function listContentGa(
  { storage, config }: Pick<Parts, 'config' | 'storage'>,
  { query, caller, base }: ApiRequest<'listContentGa'>,
): Promise<ApiAnswer<'listContentGa'>> {
  const contentBase = contentBaseOf(config, base);
  const rows = await listContent(storage.db, caller.guid, query);
  return rows.flatMap(({ granted, ...content }) => {
    const role = contentRole(content, caller, granted);
    return role === null ? [] : [presentContentGa(content, { role, base, contentBase })];
  });
}

/** Changes a content item (contract, 4.3). */
async function updateContent(
  services: Pick<Parts, 'config' | 'storage' | 'audit' | 'contentChanged'>,
  { params, body, caller, base }: ApiRequest<'updateContent'>,
): Promise<ApiAnswer<'updateContent'>> {
  const found = await updateContentCommand(services, caller, params.guid, body);
  return presentContent(found.content, await viewOf(services, found, base));
}

/** Changes a content item (contract, 4.3). */
async function updateContentGa(
  services: Pick<Parts, 'config' | 'storage' | 'audit' | 'contentChanged'>,
  { params, body, caller, base }: ApiRequest<'updateContentGa'>,
): Promise<ApiAnswer<'updateContentGa'>> {
  const found = await updateContentCommand(services, caller, params.guid, body);
  return presentContentGa(found.content, await viewOf(services, found, base));
}
