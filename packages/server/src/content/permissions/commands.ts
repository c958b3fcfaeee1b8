// Collaborators and viewers of a content item, its vanity path and its environment variables.
import { hash } from 'node:crypto';
import { errors } from '@pressroom/api/contract';
import type { AuditAction, Audit } from '../../audit/record.ts';
import { findGroup } from '../../groups/store.ts';
import { findUser } from '../../people/store.ts';
import { queryTime, toTimestamp, type Clock } from '../../platform/clock.ts';
import { isUniqueViolation, type Executor, type Storage } from '../../platform/database/storage.ts';
import { escapeControls } from '../../platform/escape-controls.ts';
import { variableContext } from '../../platform/secrets/sealed-contexts.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { loadContent } from '../commands.ts';
import {
  type EnvironmentRow,
  findVanity,
  insertVanity,
  listVanities,
  listVariableNames,
  listVariables,
  removeVanity,
  setVariable,
  type VanityRow,
} from '../extras-store.ts';
import {
  findPermission,
  insertPermission,
  removePermission,
  updatePermissionRow,
  type ContentRow,
  type PermissionRow,
} from '../store.ts';
import { isVariableName } from '../variable-names.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly secrets: Secrets;
  readonly contentChanged: (guid: string) => void;
}

export interface Grant {
  readonly principal_guid: string;
  readonly principal_type: 'user' | 'group';
  readonly role: 'owner' | 'viewer';
  /** Microseconds; null: it does not end. */
  readonly expires_time: number | null;
}

/** @throws ApiError 4, 9, 16, 25 for an end in the past, 33, 34 */
export async function grantPermission(
  parts: Pick<Parts, 'storage' | 'audit' | 'contentChanged'>,
  caller: Caller,
  guid: string,
  grant: Grant,
) {
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

/** For a caller who may manage permissions. @throws ApiError 9, 25, 33, 34, and what `asAlreadyMember` reads */
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

/** Error 16 for a principal who has a permission already, else the error itself. */
export function asAlreadyMember(error: unknown): unknown {
  if (!isUniqueViolation(error)) return error;
  return errors.alreadyMember({ message: 'this principal already has a permission', cause: error });
}

/** Keeps what is not given. @throws ApiError 18, 25 for an end in the past, 33 */
export async function changePermission(
  parts: Pick<Parts, 'storage' | 'audit' | 'contentChanged'>,
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

/** For a caller who may manage permissions. @throws ApiError 25 for an end in the past, 33, 34 */
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
  parts: Pick<Parts, 'storage' | 'audit' | 'contentChanged'>,
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
    throw errors.invalidParameter({ message: 'expires_time must be in the future' });
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

/** First segments that belong to the server. */
const RESERVED = new Set(['content', 'connect', 'dashboard', 'login', 'api', 'assets', 'metrics', 'health']);
const VANITY_PATH = /^(\/[A-Za-z0-9_-]+)+\/$/;

/** Gives the path; both slashes are added where they are missing. @throws ApiError 51, 52 */
export async function setVanityPath(
  parts: Pick<Parts, 'storage' | 'clock' | 'audit' | 'contentChanged'>,
  caller: Caller,
  guid: string,
  wanted: string,
  force: boolean,
) {
  const { storage, audit, clock, contentChanged } = parts;
  const path = `/${wanted.replace(/^\/+|\/+$/g, '')}/`;
  const key = path.toLowerCase();
  const first = key.split('/')[1]!;
  if (!VANITY_PATH.test(path) || RESERVED.has(first) || first.startsWith('__'))
    throw errors.vanityPathNotPermitted();
  const { row, taken } = await storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'manageVanity');
    const others = (await listVanities(tx)).filter((other) => other.content_guid !== content.guid);
    const conflicts = others.filter(
      (other) => key.startsWith(other.path_key) || other.path_key.startsWith(key),
    );
    if (conflicts.length > 0) await takeOver(parts, tx, caller, conflicts, key, force);
    const before = await findVanity(tx, content.guid);
    const created: VanityRow = { content_guid: content.guid, path, path_key: key, created_time: clock.now() };
    await removeVanity(tx, content.guid);
    await insertVanity(tx, created);
    await audit(
      tx,
      caller,
      before ? 'update_vanity' : 'add_vanity',
      `Vanity path ${path} of ${content.name} (${guid})`,
      { content: guid },
    );
    return { row: created, taken: conflicts };
  });
  for (const { content_guid } of [row, ...taken]) contentChanged(content_guid);
  return row;
}

async function takeOver(
  { audit }: Pick<Parts, 'audit'>,
  tx: Executor,
  caller: Caller,
  conflicts: VanityRow[],
  key: string,
  force: boolean,
): Promise<void> {
  if (!force || conflicts.some((other) => other.path_key !== key)) throw errors.vanityPathTaken();
  for (const other of conflicts) {
    await loadContent(tx, other.content_guid, caller, 'manageVanity');
    await removeVanity(tx, other.content_guid);
    await audit(tx, caller, 'remove_vanity', `Took vanity path ${other.path} from ${other.content_guid}`, {
      content: other.content_guid,
    });
  }
}

/** Takes the path away, where there is one. */
export async function removeVanityPath(
  parts: Pick<Parts, 'storage' | 'audit' | 'contentChanged'>,
  caller: Caller,
  guid: string,
): Promise<void> {
  const { storage, audit, contentChanged } = parts;
  await storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'manageVanity');
    const row = await findVanity(tx, content.guid);
    // What is wanted is so already.
    if (!row) return;
    await removeVanity(tx, content.guid);
    await audit(tx, caller, 'remove_vanity', `Removed vanity path ${row.path} of ${content.name} (${guid})`, {
      content: guid,
    });
  });
  contentChanged(guid);
}

interface VariableChange {
  readonly name: string;
  readonly value: string | null;
}

/** Sets and removes variables; answers the names that are left. @throws ApiError 106, 108 */
export function setVariables(
  parts: Pick<Parts, 'storage' | 'audit' | 'secrets'>,
  caller: Caller,
  guid: string,
  changes: readonly VariableChange[],
): Promise<string[]> {
  return parts.storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'manageEnvironment');
    return writeVariables(parts, tx, caller, content, changes);
  });
}

/** The same, with all others removed. @throws ApiError 106, 108 */
export function replaceVariables(
  parts: Pick<Parts, 'storage' | 'audit' | 'secrets'>,
  caller: Caller,
  guid: string,
  wanted: readonly VariableChange[],
): Promise<string[]> {
  return parts.storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'manageEnvironment');
    const named = new Set(wanted.map(({ name }) => name));
    const others = (await listVariableNames(tx, content.guid)).filter((name) => !named.has(name));
    const removed = others.map((name) => ({ name, value: null }));
    return writeVariables(parts, tx, caller, content, [...wanted, ...removed]);
  });
}

/** Sets what is given, keeps what is null, removes all others. @throws ApiError 106 for another version, 108 */
export function keepOrReplaceVariables(
  parts: Pick<Parts, 'storage' | 'audit' | 'secrets'>,
  caller: Caller,
  guid: string,
  { values, version }: { values: Record<string, string | null>; version?: number | null },
): Promise<string[]> {
  return parts.storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'manageEnvironment');
    const rows = await listVariables(tx, content.guid);
    if ((version ?? variablesVersion(rows)) !== variablesVersion(rows)) throw errors.environmentConflict();
    const wanted = Object.entries(values).filter(([, value]) => value !== null);
    const removed = rows.filter(({ name }) => !Object.hasOwn(values, name));
    return writeVariables(parts, tx, caller, content, [
      ...wanted.map(([name, value]) => ({ name, value })),
      ...removed.map(({ name }) => ({ name, value: null })),
    ]);
  });
}

/** A number that is another one once a variable was set or removed; 0 without any. */
export function variablesVersion(rows: readonly EnvironmentRow[]): number {
  if (rows.length === 0) return 0;
  const text = rows
    .map(({ name, value }) => JSON.stringify([name, value]))
    .toSorted()
    .join();
  return Number.parseInt(hash('sha256', text).slice(0, 7), 16) + 1;
}

async function writeVariables(
  { audit, secrets }: Pick<Parts, 'audit' | 'secrets'>,
  tx: Executor,
  caller: Caller,
  content: ContentRow,
  changes: readonly VariableChange[],
): Promise<string[]> {
  const names = new Set(changes.map((change) => change.name));
  if (names.size < changes.length)
    throw errors.environmentConflict({ message: 'a variable is changed twice' });
  // One that was set before there was a rule may still be removed.
  const prohibited = changes.find(({ name, value }) => value !== null && !isVariableName(name));
  if (prohibited)
    throw errors.variableProhibited({
      message: `the variable ${escapeControls(prohibited.name)} is prohibited`,
    });
  for (const { name, value } of changes) {
    const sealed = value === null ? null : secrets.encrypt(value, variableContext(content.guid, name));
    await setVariable(tx, content.guid, name, sealed);
  }
  const changed = [...names].map(escapeControls).join(', ');
  await audit(
    tx,
    caller,
    'edit_application',
    `Changed variables ${changed} of ${content.name} (${content.guid})`,
    { content: content.guid },
  );
  return listVariableNames(tx, content.guid);
}
