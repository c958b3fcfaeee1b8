// Signing in with a password, and out again.
import { ApiError } from '@pressroom/api';
import { hashSecret } from '../auth/authenticator.ts';
import type { Services } from '../services.ts';
import { insertSession, removeExpiredSessions, removeSession } from '../storage/credentials.ts';
import { findUserByName, touchUser, updateUserRow, type UserRow } from '../storage/users.ts';
import { checkPassword } from './users.ts';

export interface SignedIn {
  readonly user: UserRow;
  readonly token: string;
  readonly xsrf: string;
  /** Seconds. */
  readonly lifetime: number;
}

/**
 * Checks the password and begins a session. An account that must set its password takes the one given first.
 * @throws ApiError 6, 30, 40, 50, 95
 */
export async function signIn(services: Services, username: string, password: string): Promise<SignedIn> {
  const { storage, clock, ids, config, passwords, mailer } = services;
  if (config['Authentication.Provider'] !== 'password') throw new ApiError(95);
  const user = await findUserByName(storage.db, username);
  const first = user?.must_set_password === 1 && user.password_hash === null;
  const right = await passwords.verify(password, user?.password_hash ?? null);
  if (!user || (!right && !first)) throw new ApiError(30);
  if (user.locked) throw new ApiError(50);
  if (mailer && user.confirmed === 0 && user.email !== '') throw new ApiError(40);
  const password_hash = first ? await firstPassword(services, password) : user.password_hash;
  const now = clock.now();
  const lifetime = config['Authentication.SessionLifetime'];
  const [token, xsrf] = [ids.secret(), ids.secret()];
  await storage.write(async (tx) => {
    if (first) await updateUserRow(tx, user.guid, { password_hash, must_set_password: 0 });
    await removeExpiredSessions(tx, now);
    await insertSession(tx, {
      token_hash: hashSecret(token),
      user_guid: user.guid,
      xsrf,
      created_time: now,
      expires_time: now + lifetime * 1_000_000,
    });
    await touchUser(tx, user.guid, now);
  });
  return { user, token, xsrf, lifetime };
}

function firstPassword({ passwords }: Services, password: string): Promise<string> {
  checkPassword(password);
  return passwords.hash(password);
}

export async function signOut(
  { storage, authenticator }: Services,
  token: string,
  userGuid: string,
): Promise<void> {
  await removeSession(storage.db, hashSecret(token));
  authenticator.forget(userGuid);
}
