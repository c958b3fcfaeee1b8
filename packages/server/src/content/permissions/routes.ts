// API operations on collaborators and viewers of a content item.
import { errors } from '@pressroom/api/contract';
import type { ApiResponse, ApiRequest } from '../../http/request.ts';
import { loadContent } from '../commands.ts';
import { findPermission, listPermissions } from '../store.ts';
import { changePermission, grantPermission, revokePermission, type Parts } from './commands.ts';
import { presentPermission } from './present.ts';

export const permissionsRoutes = {
  addPermission,
  deletePermission,
  getPermission,
  getPermissions,
  updatePermission,
};

async function addPermission(
  parts: Pick<Parts, 'storage' | 'audit' | 'contentChanged'>,
  { params, body, caller }: ApiRequest<'addPermission'>,
): Promise<ApiResponse<'addPermission'>> {
  const principal_guid = body.principal_guid.toLowerCase();
  const { principal_type, role } = body;
  const grant = { principal_guid, principal_type, role, expires_time: timeOf(body.expires_time) ?? null };
  return presentPermission(await grantPermission(parts, caller, params.guid, grant));
}

function deletePermission(
  parts: Pick<Parts, 'storage' | 'audit' | 'contentChanged'>,
  { params, caller }: ApiRequest<'deletePermission'>,
): Promise<ApiResponse<'deletePermission'>> {
  return revokePermission(parts, caller, params.guid, params.id);
}

async function getPermission(
  { storage }: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getPermission'>,
): Promise<ApiResponse<'getPermission'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readPermissions');
  const row = await findPermission(storage.db, content.guid, Number(params.id));
  if (!row) throw errors.notFound();
  return presentPermission(row);
}

async function getPermissions(
  { storage }: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getPermissions'>,
): Promise<ApiResponse<'getPermissions'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readPermissions');
  return (await listPermissions(storage.db, content.guid)).map(presentPermission);
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
