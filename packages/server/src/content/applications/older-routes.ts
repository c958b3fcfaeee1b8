// Operations around an application for older clients: permissions, variables, processes, Unix account.
import type { Audit } from '../../audit/record.ts';
import type { ApiResponse, ApiRequest } from '../../http/request.ts';
import type { Config } from '../../main/config/settings.ts';
import type { Storage } from '../../platform/database/storage.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { Authenticator } from '../../sign-in/authenticator.ts';
import { loadContent, updateContent } from '../commands.ts';
import { grantOrChange, revokePrincipal } from '../permissions/principals.ts';
import { presentApplication } from '../present.ts';
import { keepOrReplaceVariables, variablesVersion } from '../variables/commands.ts';
import { listVariables } from '../variables/store.ts';
import { viewOf } from '../view.ts';
import { ownerNames } from './owner-names.ts';
import { groupsWithRole, usersWithRole } from './store.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly audit: Audit;
  readonly secrets: Secrets;
  readonly authenticator: Authenticator;
  readonly contentChanged: (guid: string) => void;
}
type Granting = Pick<Parts, 'storage' | 'audit' | 'contentChanged'>;

export const olderApplicationsRoutes = {
  addApplicationGroup,
  addApplicationUser,
  getApplicationEnvironment,
  getApplicationGroups,
  getApplicationUsers,
  removeApplicationGroup,
  removeApplicationUser,
  setApplicationEnvironment,
  setApplicationRunAs,
};

/** Makes a group a collaborator or viewer. */
function addApplicationGroup(
  parts: Granting,
  { params, body, caller }: ApiRequest<'addApplicationGroup'>,
): Promise<void> {
  const grant = {
    principal_guid: body.guid,
    principal_type: 'group',
    role: body.app_role,
    expires_time: null,
  } as const;
  return grantOrChange(parts, caller, params.guid, grant);
}

/** Makes a user a collaborator or viewer. */
function addApplicationUser(
  parts: Granting,
  { params, body, caller }: ApiRequest<'addApplicationUser'>,
): Promise<void> {
  const grant = {
    principal_guid: body.guid,
    principal_type: 'user',
    role: body.app_role,
    expires_time: null,
  } as const;
  return grantOrChange(parts, caller, params.guid, grant);
}

/** Lists the names of environment variables, never their values. */
async function getApplicationEnvironment(
  { storage }: Pick<Parts, 'storage'>,
  { params, caller }: Pick<ApiRequest<'getApplicationEnvironment'>, 'params' | 'caller'>,
): Promise<ApiResponse<'getApplicationEnvironment'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readEnvironment');
  const rows = await listVariables(storage.db, content.guid);
  const names = rows.map(({ name }) => name).toSorted();
  const values = Object.fromEntries(names.map((name) => [name, null]));
  return { app_guid: content.guid, version: variablesVersion(rows), values };
}

/** Lists the groups with a permission for a content item. */
async function getApplicationGroups(
  { storage }: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getApplicationGroups'>,
): Promise<ApiResponse<'getApplicationGroups'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readPermissions');
  return groupsWithRole(storage.db, content.guid);
}

/** Lists the users with a permission for a content item. */
async function getApplicationUsers(
  { storage }: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getApplicationUsers'>,
): Promise<ApiResponse<'getApplicationUsers'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readPermissions');
  return usersWithRole(storage.db, content.guid);
}

/** Removes the permission of a group. */
function removeApplicationGroup(
  parts: Granting,
  { params, caller }: ApiRequest<'removeApplicationGroup'>,
): Promise<void> {
  return revokePrincipal(parts, caller, params.guid, params.group_guid);
}

/** Removes the permission of a user. */
function removeApplicationUser(
  parts: Granting,
  { params, caller }: ApiRequest<'removeApplicationUser'>,
): Promise<void> {
  return revokePrincipal(parts, caller, params.guid, params.user_guid);
}

/** Replaces all environment variables except those to be kept. */
async function setApplicationEnvironment(
  parts: Pick<Parts, 'storage' | 'audit' | 'secrets' | 'contentChanged'>,
  { params, body, caller }: ApiRequest<'setApplicationEnvironment'>,
): Promise<ApiResponse<'setApplicationEnvironment'>> {
  await keepOrReplaceVariables(parts, caller, params.guid, body);
  return getApplicationEnvironment(parts, { params, caller });
}

/** Sets the Unix account that a content item runs as. */
async function setApplicationRunAs(
  parts: Pick<Parts, 'config' | 'storage' | 'audit' | 'authenticator' | 'contentChanged'>,
  { params, body, caller, base }: ApiRequest<'setApplicationRunAs'>,
): Promise<ApiResponse<'setApplicationRunAs'>> {
  const found = await updateContent(parts, caller, params.guid, { run_as: body.run_as ?? null });
  const owner = (await ownerNames(parts, caller, [found.content])).of(found.content);
  return presentApplication(found.content, { ...(await viewOf(parts, found, base)), owner });
}
