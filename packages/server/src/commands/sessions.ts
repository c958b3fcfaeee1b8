// Sessions: begun by whatever way the provider offers, and ended.
import { ApiError } from '@pressroom/api';
import { hashSecret } from '../auth/authenticator.ts';
import type { VouchedPerson } from '../auth/providers/provider.ts';
import type { Services } from '../services.ts';
import { insertSession, removeExpiredSessions, removeSession } from '../storage/credentials.ts';
import { insertContentSession } from '../storage/content-sessions.ts';
import { touchUser, updateUserRow, type UserRow } from '../storage/users.ts';
import { checkPassword } from './users.ts';
import { accountOf } from './vouched-people.ts';

export interface SignedIn {
  readonly user: UserRow;
  readonly token: string;
  readonly xsrf: string;
  /** Seconds. */
  readonly lifetime: number;
}

export interface Visit {
  /** Where the visitor is. */
  readonly address: string;
  /** The session that the visitor has had: the new one takes its place. */
  readonly previous: string | null;
}

/**
 * Signs in with a username and a password. An account that must set its password takes the one given first.
 * @throws ApiError 6, 8, 30, 40, 50, 63, 64, 90, 91, 95
 */
export async function signInWithPassword(
  services: Services,
  username: string,
  password: string,
  visit: Visit,
): Promise<SignedIn> {
  const { provider, throttle, mailer, passwords } = services;
  const { signIn } = provider;
  if (signIn.by !== 'form') throw new ApiError(95);
  const proof = await throttle.attempt(username, visit.address, () => signIn.check(username, password));
  if ('person' in proof) return signInPerson(services, proof.person, visit);
  const { account, firstPassword } = proof;
  if (account.locked) throw new ApiError(50);
  if (mailer && account.confirmed === 0 && account.email !== '') throw new ApiError(40);
  if (firstPassword === null) return beginSession(services, account, visit, {});
  checkPassword(firstPassword);
  const password_hash = await passwords.hash(firstPassword);
  return beginSession(services, account, visit, { password_hash, must_set_password: 0 });
}

/** Signs in somebody whom the provider vouches for. @throws ApiError 8, 50, 64, 90, 91, 129 */
export async function signInPerson(
  services: Services,
  person: VouchedPerson,
  visit: Visit,
): Promise<SignedIn> {
  return beginSession(services, await accountOf(services, person), visit, {});
}

async function beginSession(
  { storage, clock, ids, config, authenticator }: Services,
  user: UserRow,
  { previous }: Visit,
  changes: Partial<Pick<UserRow, 'password_hash' | 'must_set_password'>>,
): Promise<SignedIn> {
  const now = clock.now();
  const lifetime = config['Authentication.SessionLifetime'];
  const [token, xsrf] = [ids.secret(), ids.secret()];
  const replaced = await storage.write(async (tx) => {
    if (Object.keys(changes).length > 0) await updateUserRow(tx, user.guid, changes);
    await removeExpiredSessions(tx, now);
    await insertSession(tx, {
      token_hash: hashSecret(token),
      user_guid: user.guid,
      xsrf,
      created_time: now,
      active_time: now,
      expires_time: now + lifetime * 1_000_000,
    });
    await touchUser(tx, user.guid, now);
    return previous === null ? undefined : removeSession(tx, hashSecret(previous));
  });
  if (replaced) authenticator.forget(replaced.user_guid);
  return { user, token, xsrf, lifetime };
}

/** A session for one content item, which lasts as long as that of the server. @throws ApiError 24 when that is over. */
export async function beginContentSession(
  { storage, clock, ids }: Services,
  sessionHash: string,
  contentGuid: string,
): Promise<string> {
  const token = ids.secret();
  try {
    await storage.write((tx) =>
      insertContentSession(tx, {
        token_hash: hashSecret(token),
        session_hash: sessionHash,
        content_guid: contentGuid,
        created_time: clock.now(),
      }),
    );
  } catch (cause) {
    throw new ApiError(24, { message: 'the session has ended: sign in again', cause });
  }
  return token;
}

export async function signOut({ storage, authenticator }: Services, token: string): Promise<void> {
  const ended = await removeSession(storage.db, hashSecret(token));
  if (ended) authenticator.forget(ended.user_guid);
}
