// Commands on groups: create, members, delete (contract, 4.4).
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import type { Config } from '../main/config/settings.ts';
import type { RemoteGroup } from '../people/directory.ts';
import { findUser } from '../people/store.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import { isUniqueViolation, type Executor, type Storage } from '../platform/database/storage.ts';
import { messageOf } from '../platform/errors.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import type { SignInProvider } from '../sign-in/providers/provider.ts';
import { findGroup, insertGroup, insertMember, removeGroup, removeMember, type GroupRow } from './store.ts';

export interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: Audit;
  readonly provider: SignInProvider;
  readonly rightsChanged: () => void;
}

/** @throws ApiError 132 if groups are turned off. */
export function requireGroups({ config }: Pick<Parts, 'config'>): void {
  if (!config['Authorization.UserGroups']) {
    throw errors.providerNotSupported({
      message: 'groups are disabled on this server (Authorization.UserGroups)',
    });
  }
}

/** @throws ApiError 15 if the name is taken. */
export function createGroup(
  parts: Pick<Parts, 'storage' | 'clock' | 'ids' | 'audit' | 'provider'>,
  caller: Caller,
  name: string,
): Promise<GroupRow> {
  const owner_guid = parts.provider.groups === 'provisioned' ? null : caller.guid;
  return insert(parts, caller, { name, owner_guid, unique_id: null });
}

/** A group of the directory has no owner. @throws ApiError 15, 130, 131 */
export function createRemoteGroup(
  parts: Pick<Parts, 'storage' | 'clock' | 'ids' | 'audit'>,
  caller: Caller,
  group: RemoteGroup,
): Promise<GroupRow> {
  return insert(parts, caller, { ...group, owner_guid: null });
}

async function insert(
  { storage, ids, clock, audit }: Pick<Parts, 'storage' | 'clock' | 'ids' | 'audit'>,
  caller: Caller,
  group: Pick<GroupRow, 'name' | 'owner_guid' | 'unique_id'>,
): Promise<GroupRow> {
  const guid = ids.uuid();
  try {
    return await storage.write(async (tx) => {
      await insertGroup(tx, { guid, ...group, created_time: clock.now() });
      if (group.unique_id === '') throw errors.groupUniqueIdBlank();
      await audit(tx, caller, 'add_group', `Created group ${group.name} (${guid})`);
      return (await findGroup(tx, guid))!;
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw errors[/unique_id/.test(messageOf(error)) ? 'groupUniqueIdTaken' : 'groupNameTaken']({
      cause: error,
    });
  }
}

/** @throws ApiError 4 */
export async function loadGroup(db: Executor, guid: string): Promise<GroupRow> {
  const group = await findGroup(db, guid);
  if (!group) throw errors.notFound();
  return group;
}

/** @throws ApiError 4, 20 */
export async function deleteGroup(
  parts: Pick<Parts, 'storage' | 'audit' | 'provider' | 'rightsChanged'>,
  caller: Caller,
  guid: string,
): Promise<void> {
  const { storage, audit, rightsChanged } = parts;
  await storage.write(async (tx) => {
    const group = await loadGroup(tx, guid);
    if (!owns(parts, group, caller)) throw errors.removalDenied();
    await removeGroup(tx, guid);
    await audit(tx, caller, 'remove_group', `Deleted group ${group.name} (${guid})`);
  });
  rightsChanged();
}

/** @throws ApiError 4, 9, 16, 21 */
export async function addMember(
  parts: Pick<Parts, 'storage' | 'audit' | 'provider'>,
  caller: Caller,
  guid: string,
  userGuid: string,
) {
  const { storage, audit } = parts;
  try {
    await storage.write(async (tx) => {
      const group = await loadGroup(tx, guid);
      if (!owns(parts, group, caller)) throw errors.changeDenied();
      const user = await findUser(tx, userGuid);
      if (!user) throw errors.userNotFound();
      await insertMember(tx, guid, userGuid);
      await audit(
        tx,
        caller,
        'add_group_member',
        `Added ${user.username} (${userGuid}) to group ${group.name} (${guid})`,
      );
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw errors.alreadyMember({ cause: error });
    throw error;
  }
}

/** Anyone may leave a group. @throws ApiError 4, 17, 20 */
export async function leaveGroup(
  parts: Pick<Parts, 'storage' | 'audit' | 'provider' | 'rightsChanged'>,
  caller: Caller,
  guid: string,
  userGuid: string,
): Promise<void> {
  const { storage, audit, rightsChanged } = parts;
  await storage.write(async (tx) => {
    const group = await loadGroup(tx, guid);
    if (userGuid !== caller.guid && !owns(parts, group, caller)) throw errors.removalDenied();
    if (!(await removeMember(tx, guid, userGuid))) throw errors.itemToRemoveNotFound();
    await audit(
      tx,
      caller,
      'remove_group_member',
      `Removed user ${userGuid} from group ${group.name} (${guid})`,
    );
  });
  rightsChanged();
}

/** Groups managed by the provider have no owner, whoever created them (contract, section 2, Group). */
export function ownerOf({ provider }: Pick<Parts, 'provider'>, group: GroupRow): string | null {
  return provider.groups === 'kept' ? group.owner_guid : null;
}

function owns(parts: Pick<Parts, 'provider'>, group: GroupRow, caller: Caller): boolean {
  return caller.role === 'administrator' || ownerOf(parts, group) === caller.guid;
}
