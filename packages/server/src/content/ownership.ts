// Changes the owner of content: to somebody who could have created it.
import { errors } from '@pressroom/api/contract';
import { findUser, type UserRow } from '../people/store.ts';
import type { Executor } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { removeContentKeysOf } from '../sign-in/store.ts';
import { removePermissionsOf, type ContentRow } from './store.ts';

/**
 * Handles an owner sent with a content update: only for administrators. The previous owner keeps no rights. Returns the
 * new owner; null if unchanged.
 * @throws ApiError 9, 66
 */
export async function changeOwner(
  tx: Executor,
  caller: Caller,
  content: ContentRow,
  wanted: string | null | undefined,
): Promise<UserRow | null> {
  if (!wanted || wanted === content.owner_guid) return null;
  if (caller.role !== 'administrator')
    throw errors.ownershipNotAssignable({ message: 'only administrators can change the owner of content' });
  return newOwner(tx, content, wanted);
}

/**
 * Prepares a change of owner: the new owner's permission is absorbed, and the content's keys of the previous owner end.
 * @throws ApiError 9, 66
 */
export async function newOwner(tx: Executor, content: ContentRow, wanted: string): Promise<UserRow> {
  const owner = await findUser(tx, wanted);
  if (!owner) throw errors.userNotFound();
  if (owner.user_role === 'viewer' || owner.locked === 1)
    throw errors.ownershipNotAssignable({
      message: `${owner.username} is ${owner.locked === 1 ? 'locked' : 'a viewer'} and cannot own content`,
    });
  await removePermissionsOf(tx, content.guid, owner.guid);
  await removeContentKeysOf(tx, content.guid, content.owner_guid);
  return owner;
}
