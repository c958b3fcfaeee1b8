// A caller as of now, for work that took long: the account may have been locked, or have another role, and the session
// may have ended.
import { errors } from '@pressroom/api/contract';
import type { Executor } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { findSession } from '../sign-in/store.ts';
import { lowerRole } from './roles.ts';
import { findUser } from './store.ts';

/**
 * With the lower of the role then and the role now.
 * @throws ApiError 24 for a deleted account or an ended session, 50 for a locked account
 */
export async function callerNow(tx: Executor, caller: Caller): Promise<Caller> {
  const user = await findUser(tx, caller.guid);
  if (!user) throw errors.authenticationRequired();
  if (user.locked === 1) throw errors.userLocked();
  if (caller.session !== undefined && !(await findSession(tx, caller.session)))
    throw errors.authenticationRequired();
  return { ...caller, role: lowerRole(user.user_role, caller.role) };
}
