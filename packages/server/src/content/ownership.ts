// Content that gets another owner: to somebody who could have made it.
import { errors } from '@pressroom/api/contract';
import { findUser, type UserRow } from '../people/store.ts';
import type { Executor } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { removeContentKeysOf } from '../sign-in/store.ts';
import { removePermissionsOf, type ContentRow } from './store.ts';

/**
 * Where a client that changes content sends another owner along: for administrators. The owner before keeps no rights.
 * Answers the new owner; null where that is the owner already.
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
 * Makes room for another owner: a permission of theirs goes into it, and keys that the content had of its owner before end.
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
