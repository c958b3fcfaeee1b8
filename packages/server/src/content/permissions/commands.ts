// Commands on collaborators and viewers of a content item.
import { errors } from '@pressroom/api/contract';
import type { AuditAction, Audit } from '../../audit/record.ts';
import { findGroup } from '../../groups/store.ts';
import { findUser } from '../../people/store.ts';
import { queryTime, toTimestamp } from '../../platform/clock.ts';
import { isUniqueViolation, type Executor, type Storage } from '../../platform/database/storage.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { loadContent } from '../commands.ts';
import {
  findPermission,
  insertPermission,
  removePermission,
  updatePermissionRow,
  type ContentRow,
  type PermissionRow,
} from '../store.ts';

export interface Parts {
  readonly storage: Storage;
  readonly audit: Audit;
  readonly contentChanged: (guid: string) => void;
}

export interface Grant {
  readonly principal_guid: string;
  readonly principal_type: 'user' | 'group';
  readonly role: 'owner' | 'viewer';
  /** Microseconds; null for no expiry. */
  readonly expires_time: number | null;
}

/** @throws ApiError 4, 9, 16, 25 for an expiry in the past, 33, 34 */
export async function grantPermission(parts: Parts, caller: Caller, guid: string, grant: Grant) {
  const { storage, audit, contentChanged } = parts;
  try {
    const row = await storage.write(async (tx) => {
      const { content } = await loadContent(tx, guid, caller, 'managePermissions');
      return grantWithin(tx, audit, caller, content, grant);
    });
    contentChanged(row.content_guid);
    return row;
  } catch (error) {
    throw asAlreadyMember(error);
  }
}

/** For a caller who may manage permissions. @throws ApiError 9, 25, 33, 34, and the errors of `asAlreadyMember` */
export async function grantWithin(
  tx: Executor,
  audit: Audit,
  caller: Caller,
  content: ContentRow,
  grant: Grant,
): Promise<PermissionRow> {
  const name = await principalName(tx, content, grant);
  requireFuture(grant);
  const permission = await insertPermission(tx, { content_guid: content.guid, ...grant });
  await audit(
    tx,
    caller,
    assigned(grant),
    `Made ${name} ${roleName(grant.role)} of ${content.name} (${content.guid})${until(grant)}`,
    { content: content.guid },
  );
  return permission;
}

/** Error 16 if the principal has a permission already, else the error itself. */
export function asAlreadyMember(error: unknown): unknown {
  if (!isUniqueViolation(error)) return error;
  return errors.alreadyMember({ message: 'this user or group has access already', cause: error });
}

/** Keeps what is not given. @throws ApiError 18, 25 for an expiry in the past, 33 */
export async function changePermission(
  parts: Parts,
  caller: Caller,
  guid: string,
  id: string,
  change: Partial<Pick<Grant, 'role' | 'expires_time'>>,
) {
  const { storage, audit, contentChanged } = parts;
  const row = await storage.write(async (tx): Promise<PermissionRow> => {
    const { content } = await loadContent(tx, guid, caller, 'managePermissions');
    const permission = await findPermission(tx, content.guid, Number(id));
    if (!permission) throw errors.itemToChangeNotFound();
    return changeWithin(tx, audit, caller, content, permission, change);
  });
  contentChanged(row.content_guid);
  return row;
}

/** For a caller who may manage permissions. @throws ApiError 25 for an expiry in the past, 33, 34 */
export async function changeWithin(
  tx: Executor,
  audit: Audit,
  caller: Caller,
  content: ContentRow,
  permission: PermissionRow,
  change: Partial<Pick<Grant, 'role' | 'expires_time'>>,
): Promise<PermissionRow> {
  const changed = { ...permission, ...change };
  const name = await principalName(tx, content, changed);
  if (change.expires_time !== undefined) requireFuture(changed);
  await updatePermissionRow(tx, changed);
  await audit(
    tx,
    caller,
    assigned(changed),
    `Made ${name} ${roleName(changed.role)} of ${content.name} (${content.guid})${until(changed)}`,
    { content: content.guid },
  );
  return changed;
}

/** @throws ApiError 17 */
export async function revokePermission(
  parts: Parts,
  caller: Caller,
  guid: string,
  id: string,
): Promise<void> {
  const { storage, audit, contentChanged } = parts;
  await storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'managePermissions');
    const permission = await findPermission(tx, content.guid, Number(id));
    if (!permission) throw errors.itemToRemoveNotFound();
    await removePermission(tx, permission.id);
    const action: AuditAction =
      permission.principal_type === 'user' ? 'remove_user_app_role' : 'remove_group_app_role';
    const who = `${permission.principal_type} ${permission.principal_guid}`;
    await audit(tx, caller, action, `Took the permission of ${who} on ${content.name} (${content.guid})`, {
      content: content.guid,
    });
  });
  contentChanged(guid);
}

async function principalName(tx: Executor, content: ContentRow, grant: Grant): Promise<string> {
  if (grant.principal_type === 'group') {
    const group = await findGroup(tx, grant.principal_guid);
    if (!group) throw errors.userNotFound({ message: 'there is no such group' });
    return `group ${group.name}`;
  }
  const user = await findUser(tx, grant.principal_guid);
  if (!user) throw errors.userNotFound();
  if (user.guid === content.owner_guid) throw errors.ownerNotCollaborator();
  if (grant.role === 'owner' && user.user_role === 'viewer') throw errors.collaboratorNotPublisher();
  return `user ${user.username}`;
}

function requireFuture({ expires_time: end }: Pick<Grant, 'expires_time'>): void {
  if (end !== null && end <= queryTime())
    throw errors.invalidParameter({ message: 'expires_time must be in the future', field: 'expires_time' });
}

function until({ expires_time: end }: Pick<Grant, 'expires_time'>): string {
  return end === null ? '' : ` until ${toTimestamp(end)}`;
}

function assigned(grant: Grant): AuditAction {
  return grant.principal_type === 'user' ? 'assign_user_app_role' : 'assign_group_app_role';
}

function roleName(role: Grant['role']): string {
  return role === 'owner' ? 'a collaborator' : 'a viewer';
}
