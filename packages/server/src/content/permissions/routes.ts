// API operations on collaborators and viewers, the vanity path and the environment variables of a content item.
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../../audit/record.ts';
import type { ApiResponse, ApiRequest } from '../../http/request.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/database/storage.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { loadContent } from '../commands.ts';
import { findVanity, listVanities as listVanityRows, listVariableNames } from '../extras-store.ts';
import { findPermission, listPermissions } from '../store.ts';
import { changePermission, grantPermission, revokePermission } from './commands.ts';
import { presentPermission, presentVanity } from './present.ts';
import { removeVanityPath, setVanityPath } from './vanity-path.ts';
import { replaceVariables, setVariables } from './variables.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly secrets: Secrets;
  readonly contentChanged: (guid: string) => void;
}

export const permissionsRoutes = {
  addPermission,
  deletePermission,
  deleteVanity,
  getEnvironment,
  getPermission,
  getPermissions,
  getVanity,
  listVanities,
  setEnvironment,
  setVanity,
  updateEnvironment,
  updatePermission,
};

/** Makes somebody a collaborator or viewer. */
async function addPermission(
  parts: Pick<Parts, 'storage' | 'audit' | 'contentChanged'>,
  { params, body, caller }: ApiRequest<'addPermission'>,
): Promise<ApiResponse<'addPermission'>> {
  const principal_guid = body.principal_guid.toLowerCase();
  const { principal_type, role } = body;
  const grant = { principal_guid, principal_type, role, expires_time: timeOf(body.expires_time) ?? null };
  return presentPermission(await grantPermission(parts, caller, params.guid, grant));
}

/** Removes a permission. */
function deletePermission(
  parts: Pick<Parts, 'storage' | 'audit' | 'contentChanged'>,
  { params, caller }: ApiRequest<'deletePermission'>,
): Promise<ApiResponse<'deletePermission'>> {
  return revokePermission(parts, caller, params.guid, params.id);
}

/** Removes the vanity path of a content item. */
function deleteVanity(
  parts: Pick<Parts, 'storage' | 'audit' | 'contentChanged'>,
  { params, caller }: ApiRequest<'deleteVanity'>,
): Promise<ApiResponse<'deleteVanity'>> {
  return removeVanityPath(parts, caller, params.guid);
}

/** Lists the names of environment variables, never their values. */
async function getEnvironment(
  { storage }: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getEnvironment'>,
): Promise<ApiResponse<'getEnvironment'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readEnvironment');
  return listVariableNames(storage.db, content.guid);
}

/** Reads one permission. */
async function getPermission(
  { storage }: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getPermission'>,
): Promise<ApiResponse<'getPermission'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readPermissions');
  const row = await findPermission(storage.db, content.guid, Number(params.id));
  if (!row) throw errors.notFound();
  return presentPermission(row);
}

/** Lists the permissions of a content item. */
async function getPermissions(
  { storage }: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getPermissions'>,
): Promise<ApiResponse<'getPermissions'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readPermissions');
  return (await listPermissions(storage.db, content.guid)).map(presentPermission);
}

/** Reads the vanity path of a content item. */
async function getVanity(
  { storage }: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getVanity'>,
): Promise<ApiResponse<'getVanity'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readVanity');
  const row = await findVanity(storage.db, content.guid);
  if (!row) throw errors.notFound();
  return presentVanity(row);
}

/** Lists the vanity paths of all content. */
async function listVanities({ storage }: Pick<Parts, 'storage'>): Promise<ApiResponse<'listVanities'>> {
  const rows = await listVanityRows(storage.db);
  return rows.toSorted((a, b) => (a.path_key < b.path_key ? -1 : 1)).map(presentVanity);
}

/** Replaces all environment variables. */
function setEnvironment(
  parts: Pick<Parts, 'storage' | 'audit' | 'secrets' | 'contentChanged'>,
  { params, body, caller }: ApiRequest<'setEnvironment'>,
): Promise<ApiResponse<'setEnvironment'>> {
  return replaceVariables(parts, caller, params.guid, body);
}

/** Sets the vanity path of a content item. */
async function setVanity(
  parts: Pick<Parts, 'storage' | 'clock' | 'audit' | 'contentChanged'>,
  { params, body, caller }: ApiRequest<'setVanity'>,
): Promise<ApiResponse<'setVanity'>> {
  return presentVanity(await setVanityPath(parts, caller, params.guid, body.path, body.force ?? false));
}

/** Sets and removes environment variables. */
function updateEnvironment(
  parts: Pick<Parts, 'storage' | 'audit' | 'secrets' | 'contentChanged'>,
  { params, body, caller }: ApiRequest<'updateEnvironment'>,
): Promise<ApiResponse<'updateEnvironment'>> {
  return setVariables(parts, caller, params.guid, body);
}

/** Changes the role or the expiry of a permission. */
async function updatePermission(
  parts: Pick<Parts, 'storage' | 'audit' | 'contentChanged'>,
  { params, body, caller }: ApiRequest<'updatePermission'>,
): Promise<ApiResponse<'updatePermission'>> {
  const end = timeOf(body.expires_time);
  const change = { role: body.role, ...(end !== undefined && { expires_time: end }) };
  return presentPermission(await changePermission(parts, caller, params.guid, params.id, change));
}

/** In microseconds. */
function timeOf(text: string | null | undefined): number | null | undefined {
  return typeof text === 'string' ? Date.parse(text) * 1000 : text;
}
