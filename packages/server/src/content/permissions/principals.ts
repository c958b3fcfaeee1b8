// Permissions by principal: older clients do not know permission ids.
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../../audit/record.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { loadContent } from '../commands.ts';
import { listPermissions, type PermissionRow } from '../store.ts';
import { changePermission, type Grant, grantPermission, revokePermission } from './commands.ts';

interface Parts {
  readonly storage: Storage;
  readonly audit: Audit;
  readonly contentChanged: (guid: string) => void;
}

/** Replaces any existing permission. @throws ApiError 9, 16, 33, 34 */
export async function grantOrChange(parts: Parts, caller: Caller, guid: string, grant: Grant): Promise<void> {
  const there = await permissionFor(parts.storage.db, caller, guid, grant.principal_guid);
  if (!there) await grantPermission(parts, caller, guid, grant);
  else if (there.role !== grant.role)
    await changePermission(parts, caller, guid, String(there.id), { role: grant.role });
}

/** @throws ApiError 17 */
export async function revokePrincipal(
  parts: Parts,
  caller: Caller,
  guid: string,
  principal: string,
): Promise<void> {
  const there = await permissionFor(parts.storage.db, caller, guid, principal);
  if (!there) throw errors.itemToRemoveNotFound();
  await revokePermission(parts, caller, guid, String(there.id));
}

async function permissionFor(
  db: Executor,
  caller: Caller,
  guid: string,
  principal: string,
): Promise<PermissionRow | undefined> {
  const { content } = await loadContent(db, guid, caller, 'managePermissions');
  const rows = await listPermissions(db, content.guid);
  return rows.find(({ principal_guid }) => principal_guid === principal);
}
