// Starts a session: always a new one.
import { errors } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import type { Audit } from '../audit/record.ts';
import type { Config } from '../main/config/settings.ts';
import { touchUser, userOf, type UserRow } from '../people/store.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import { hashSecret, type Authenticator } from './authenticator.ts';
import {
  insertSession,
  removeExpiredSessions,
  removeSession,
  removeSessionsBeyond,
  removeSessionsSince,
} from './store.ts';
import { actorOf, shownAgent, type Visit } from './visit.ts';

/** What a session takes to begin. */
export interface SessionParts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly audit: Audit;
  readonly authenticator: Authenticator;
}

/** Maximum sessions of an account: all are listed at once. */
const MAX_SESSIONS = 1000;

export interface SignedIn {
  readonly user: UserRow;
  readonly token: string;
  readonly xsrf: string;
  /** In seconds. */
  readonly lifetime: number;
}

/**
 * Starts a session for an authenticated person, and ends the previous one.
 * @param user as read when authenticated. @param way in words. @throws ApiError 50, 99 if the account changed since
 */
export async function beginSession(
  parts: SessionParts,
  user: UserRow,
  visit: Visit,
  way: string | null,
): Promise<SignedIn> {
  const { storage, clock, ids, config, authenticator, audit, log } = parts;
  const now = clock.now();
  const lifetime = config['Authentication.SessionLifetime'];
  const [token, xsrf] = [ids.secret(), ids.secret()];
  const { address, previous } = visit;
  const agent = shownAgent(visit.agent);
  let hasEnded = visit.since !== undefined;
  const replaced = await storage.write(async (tx) => {
    await requireUnchanged(tx, user);
    await removeExpiredSessions(tx, now);
    const session = { user_guid: user.guid, address, agent };
    // If several tabs sign in at once, the browser keeps the last session: nobody could sign out of the others.
    if (visit.since !== undefined) await removeSessionsSince(tx, session, visit.since);
    await insertSession(tx, {
      ...session,
      token_hash: hashSecret(token),
      xsrf,
      created_time: now,
      active_time: now,
      expires_time: now + lifetime * 1_000_000,
    });
    if (await removeSessionsBeyond(tx, user.guid, MAX_SESSIONS)) hasEnded = true;
    await touchUser(tx, user.guid, now);
    if (way !== null) {
      const description = `Signed in by ${way} from ${address || 'an unknown address'} with ${agent}`;
      await audit(tx, actorOf(user), 'sign_in', description);
    }
    return previous === null ? undefined : removeSession(tx, hashSecret(previous));
  });
  if (replaced) authenticator.forget(replaced.user_guid);
  if (hasEnded) authenticator.forget(user.guid);
  if (way !== null) log.info({ user: user.guid, way, address }, 'signed in');
  return { user, token, xsrf, lifetime };
}

/**
 * A lock, a new password, and a role that requires more end all sessions: what was authenticated before must not start
 * another, or set a password.
 * @throws ApiError 50, 99
 */
export async function requireUnchanged(
  tx: Executor,
  { guid, password_hash, user_role }: UserRow,
): Promise<void> {
  const user = await userOf(tx, guid);
  if (user.locked === 1) throw errors.userLocked();
  if (user.password_hash !== password_hash)
    throw errors.reauthenticationRequired({ message: 'The password was changed: sign in again' });
  // The new role may require a second factor.
  if (user.user_role !== user_role)
    throw errors.reauthenticationRequired({ message: 'The role was changed: sign in again' });
}
