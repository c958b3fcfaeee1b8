// Sessions: started through the configured provider, listed and ended.
import { ApiError, errors } from '@pressroom/api/contract';
import type { SecurityEvents } from '../audit/security-events.ts';
import { findContent } from '../content/store.ts';
import { findUser } from '../people/store.ts';
import { accountOf } from '../people/vouched-people.ts';
import type { SessionTable } from '../platform/database/schema.ts';
import type { Mailer } from '../platform/mailer.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { insertContentSession } from '../visitors/session-store.ts';
import { requireKeyRights } from './api-keys.ts';
import { hashSecret, type Caller } from './authenticator.ts';
import { beginSession, type SessionParts, type SignedIn } from './begin-session.ts';
import { denyAllowedBy } from './device/store.ts';
import type { VouchedPerson, SignInProvider } from './providers/provider.ts';
import { checkPasskey } from './second-factors/passkeys.ts';
import { beginStep, type Step } from './second-factors/second-step.ts';
import { findSession, listSessions, removeSession } from './store.ts';
import type { Throttle } from './throttle.ts';
import { actorOf, noteFailure, type Visit } from './visit.ts';

interface Parts extends SessionParts {
  readonly events: SecurityEvents;
  readonly secrets: Secrets;
  readonly provider: SignInProvider;
  readonly throttle: Throttle;
  readonly mailer: Mailer | null;
}

/** The signed-in person, or the next required step. */
export type Entry = { readonly signedIn: SignedIn } | { readonly step: Step };

/**
 * Signs in with a username and a password.
 * @throws ApiError 8, 30, 40, 50, 63, 64, 90, 91, 95; 1 with status 503
 */
export async function signInWithPassword(
  parts: Parts,
  username: string,
  password: string,
  visit: Visit,
): Promise<Entry> {
  const { provider, throttle, mailer } = parts;
  const { signIn } = provider;
  if (signIn.by !== 'form') throw errors.authenticationTypeNotAllowed();
  try {
    const attempt = { username, address: visit.address, device: visit.device };
    const proof = await throttle.attempt(attempt, () => signIn.check(username, password));
    const user = 'person' in proof ? await accountOf(parts, proof.person) : proof.account;
    if (user.locked) throw errors.userLocked();
    // Whoever is in already must not be kept out by a mistyped new address.
    const isNew = user.active_time === null;
    if ('account' in proof && mailer && isNew && user.confirmed === 0 && user.email !== '')
      throw errors.currentUserNotConfirmed();
    const step = await beginStep(parts, user);
    if (step !== null) return { step };
    return { signedIn: await beginSession(parts, user, visit, 'password') };
  } catch (error) {
    if (error instanceof ApiError) await noteFailure(parts, username, 'password', visit, error);
    throw error;
  }
}

/** Signs in with a passkey alone: the device has verified its user. @throws ApiError 30, 50, 95 */
export async function signInWithPasskey(
  parts: SessionParts & Pick<Parts, 'events' | 'secrets' | 'provider'>,
  response: { readonly state: string; readonly response: string },
  base: string,
  visit: Visit,
): Promise<SignedIn> {
  // A directory that decides who may sign in must be asked.
  if (parts.provider.kind !== 'password') throw errors.authenticationTypeNotAllowed();
  let username: string | null = null;
  try {
    const user = await checkPasskey(parts, null, response, base);
    username = user.username;
    if (user.locked) throw errors.userLocked();
    return await beginSession(parts, user, visit, 'passkey');
  } catch (error) {
    if (error instanceof ApiError) await noteFailure(parts, username, 'passkey', visit, error);
    throw error;
  }
}

/** Signs in a person vouched for by the provider. @throws ApiError 8, 50, 64, 90, 91, 129 */
export async function signInPerson(
  parts: SessionParts & Pick<Parts, 'provider'>,
  person: VouchedPerson,
  visit: Visit,
): Promise<SignedIn> {
  return beginSession(parts, await accountOf(parts, person), visit, parts.provider.kind);
}

/**
 * Starts a session for one content item, which ends with the server's session. Returns its token; null if that has ended.
 * @throws ApiError 4 if there is no such content
 */
export async function beginContentSession(
  { storage, clock, ids }: Pick<Parts, 'storage' | 'clock' | 'ids'>,
  sessionHash: string,
  contentGuid: string,
): Promise<string | null> {
  const token = ids.secret();
  return storage.write(async (tx) => {
    if (!(await findSession(tx, sessionHash))) return null;
    if (!(await findContent(tx, contentGuid))) throw errors.notFound();
    await insertContentSession(tx, {
      token_hash: hashSecret(token),
      session_hash: sessionHash,
      content_guid: contentGuid,
      created_time: clock.now(),
    });
    return token;
  });
}

export async function signOut(
  { storage, authenticator, audit }: Pick<Parts, 'storage' | 'audit' | 'authenticator'>,
  token: string,
): Promise<void> {
  const ended = await storage.write(async (tx) => {
    const row = await removeSession(tx, hashSecret(token));
    const user = row && (await findUser(tx, row.user_guid));
    if (user) await audit(tx, actorOf(user), 'sign_out', 'Signed out');
    return row;
  });
  if (ended) authenticator.forget(ended.user_guid);
}

/** The public id of a session: it can neither be used as one nor be reversed. */
export function sessionId({ token_hash }: Pick<SessionTable, 'token_hash'>): string {
  return hashSecret(`session ${token_hash}`).slice(0, 32);
}

/** The caller's own sessions; for an administrator, anybody's. @throws ApiError 4, 19 */
export async function sessionsOf(
  parts: Pick<Parts, 'storage' | 'clock'>,
  caller: Caller,
  userGuid: string,
): Promise<SessionTable[]> {
  await requireKeyRights(parts, caller, userGuid);
  return listSessions(parts.storage.db, userGuid, parts.clock.now());
}

/** Programs that were allowed and have not fetched their key get none. @throws ApiError 4, 17, 19 */
export async function endSession(
  parts: Pick<Parts, 'storage' | 'clock' | 'audit' | 'authenticator'>,
  caller: Caller,
  userGuid: string,
  id: string,
): Promise<void> {
  const { storage, audit, authenticator, clock } = parts;
  await requireKeyRights(parts, caller, userGuid);
  await storage.write(async (tx) => {
    const row = (await listSessions(tx, userGuid, clock.now())).find((item) => sessionId(item) === id);
    if (!row) throw errors.itemToRemoveNotFound();
    await removeSession(tx, row.token_hash);
    await denyAllowedBy(tx, userGuid);
    await audit(
      tx,
      caller,
      'end_session',
      `Ended a session of user ${userGuid} that was begun from ${row.address}`,
    );
  });
  authenticator.forget(userGuid);
}
