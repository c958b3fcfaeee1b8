// Operations of older publishing clients beside the contract: /applications and its sub-resources.
import type { Audit } from '../../audit/record.ts';
import type { ApiResponse, ApiRequest } from '../../http/request.ts';
import type { Config } from '../../main/config/settings.ts';
import { getCurrentUser } from '../../people/routes.ts';
import type { Clock, Ids } from '../../platform/clock.ts';
import type { Storage } from '../../platform/database/storage.ts';
import type { Authenticator } from '../../sign-in/authenticator.ts';
import { contentBaseOf } from '../address.ts';
import { createContent, loadContent, updateContent } from '../commands.ts';
import { dashboardUrl, presentApplication } from '../present.ts';
import { viewOf } from '../view.ts';
import { listApplications } from './list.ts';
import { ownerNames } from './owner-names.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: Audit;
  readonly authenticator: Authenticator;
  readonly contentChanged: (guid: string) => void;
}

export const applicationsRoutes = {
  createApplication,
  getApplication,
  getApplicationConfig,
  getMe: getPublisher,
  getPublisher,
  listApplications,
  updateApplication,
};

/** Creates a content item, for older clients. */
async function createApplication(
  parts: Pick<Parts, 'config' | 'storage' | 'clock' | 'ids' | 'audit'>,
  { body, caller, base }: ApiRequest<'createApplication'>,
): Promise<ApiResponse<'createApplication'>> {
  const { content } = await createContent(parts, caller, body);
  const owner = (await ownerNames(parts, caller, [content])).of(content);
  return presentApplication(content, { base, contentBase: contentBaseOf(parts.config, base), owner });
}

/** Reads one content item, for older clients. */
async function getApplication(
  parts: Pick<Parts, 'config' | 'storage'>,
  { params, caller, base }: ApiRequest<'getApplication'>,
): Promise<ApiResponse<'getApplication'>> {
  const found = await loadContent(parts.storage.db, params.guid, caller, 'getContent');
  const owner = (await ownerNames(parts, caller, [found.content])).of(found.content);
  return presentApplication(found.content, { ...(await viewOf(parts, found, base)), owner });
}

/** Returns the dashboard addresses of a content item and its logs. */
async function getApplicationConfig(
  { storage }: Pick<Parts, 'storage'>,
  { params, caller, base }: ApiRequest<'getApplicationConfig'>,
): Promise<ApiResponse<'getApplicationConfig'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'getContent');
  const config_url = dashboardUrl(base, content.guid);
  return { config_url, logs_url: `${config_url}/logs` };
}

/** Reads the current user, for older clients. */
async function getPublisher(
  parts: Pick<Parts, 'storage'>,
  request: ApiRequest<'getMe' | 'getPublisher'>,
): Promise<ApiResponse<'getMe' | 'getPublisher'>> {
  const user = await getCurrentUser(parts, request);
  return { id: user.guid, ...user };
}

/** Updates a content item, for older clients. */
async function updateApplication(
  parts: Pick<Parts, 'config' | 'storage' | 'audit' | 'authenticator' | 'contentChanged'>,
  { params, body, caller, base }: ApiRequest<'updateApplication'>,
): Promise<ApiResponse<'updateApplication'>> {
  const found = await updateContent(parts, caller, params.guid, body);
  const owner = (await ownerNames(parts, caller, [found.content])).of(found.content);
  return presentApplication(found.content, { ...(await viewOf(parts, found, base)), owner });
}
