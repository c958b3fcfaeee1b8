// Passwords of accounts: changed by their owner, or set once through a link that was mailed or given to an
// administrator.
import { ApiError, errors } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import type { Actor, Audit } from '../../audit/record.ts';
import type { Config } from '../../main/config/settings.ts';
import { callerNow } from '../../people/caller-now.ts';
import { findUser, findUserByName, updateUserRow, type UserRow } from '../../people/store.ts';
import type { Clock, Ids } from '../../platform/clock.ts';
import type { Micros } from '../../platform/database/schema.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import type { Mailer } from '../../platform/mailer.ts';
import { hashSecret, type Caller, type Authenticator } from '../authenticator.ts';
import { requireUnchanged } from '../begin-session.ts';
import type { SignInProvider } from '../providers/provider.ts';
import { forgetWrongCodes } from '../second-factors/store.ts';
import { removeSessionsOf } from '../store.ts';
import type { Throttle } from '../throttle.ts';
import { actorOf, type Visit } from '../visit.ts';
import {
  countMailedLinks,
  findPasswordLink,
  insertPasswordLink,
  removeExpiredPasswordLinks,
  removePasswordLinks,
} from './link-store.ts';
import { checkChosenPassword } from './password-policy.ts';
import type { Passwords } from './passwords.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly audit: Audit;
  readonly authenticator: Authenticator;
  readonly passwords: Passwords;
  readonly provider: SignInProvider;
  readonly throttle: Throttle;
  readonly mailer: Mailer | null;
}

const HOUR = 3_600_000_000;
/** Lifetimes of links for a first and for a forgotten password. */
const FIRST_LIFETIME = 7 * 24 * HOUR;
const SHOWN_LIFETIME = 24 * HOUR;
const MAILED_LIFETIME = HOUR;
/** Mails per account and hour, so that nobody can flood a mailbox. */
const MAILS_AN_HOUR = 3;
export const PASSWORD_PATH = '/__login__/password';

/**
 * Changes the password of the session's account; all other sessions end.
 * @param kept token hash of the session to keep.
 * @throws ApiError 6, 24, 31, 50, 95, 96, 99
 */
export async function changePassword(
  parts: Pick<
    Parts,
    'config' | 'storage' | 'audit' | 'authenticator' | 'passwords' | 'provider' | 'throttle'
  >,
  caller: Caller,
  passwords: { readonly current: string; readonly next: string },
  visit: Visit,
  kept: string,
): Promise<void> {
  const { config, storage, audit, authenticator } = parts;
  requirePasswordsHere(parts);
  const user = await confirmPassword(parts, caller, passwords.current, visit);
  await checkChosenPassword(config, passwords.next, [user.username, user.email]);
  const password_hash = await parts.passwords.hash(passwords.next);
  await storage.write(async (tx) => {
    await requireUnchanged(tx, user);
    await callerNow(tx, caller);
    await updateUserRow(tx, user.guid, { password_hash, must_set_password: 0 });
    await removePasswordLinks(tx, user.guid);
    await forgetWrongCodes(tx, user.guid);
    await removeSessionsOf(tx, user.guid, kept);
    await audit(
      tx,
      caller,
      'change_password',
      `Changed the password of ${named(user)}, from ${visit.address}`,
    );
  });
  authenticator.forget(user.guid);
}

/**
 * Asks for the password again before a change that lets people in. Not possible with a key. @throws ApiError 95 for a
 * key, 96 for a wrong password
 */
export async function confirmPassword(
  parts: Pick<Parts, 'storage' | 'provider' | 'throttle'>,
  caller: Caller,
  password: string,
  visit: Visit,
): Promise<UserRow> {
  const { provider, throttle, storage } = parts;
  if (caller.by !== 'session')
    throw errors.authenticationTypeNotAllowed({ message: 'sign in to do this: API keys cannot' });
  const user = await findUser(storage.db, caller.guid);
  if (!user) throw errors.authenticationRequired();
  const { signIn } = provider;
  if (signIn.by !== 'form') return user;
  // Counted per device of the session: strangers cannot use up these attempts.
  const attempt = { username: user.username, address: visit.address, device: `account ${user.guid}` };
  try {
    await throttle.attempt(attempt, () => signIn.check(user.username, password));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 30 || error.status === 429) throw error;
    throw errors.incorrectPassword({ cause: error });
  }
  return user;
}

/** Creates a link for somebody, shown once to an administrator. @throws ApiError 4, 22, 31, 50 */
export async function createPasswordLink(
  parts: Pick<Parts, 'storage' | 'clock' | 'ids' | 'audit' | 'provider'>,
  caller: Caller,
  guid: string,
  base: string,
): Promise<{ url: string; expires: Micros }> {
  requirePasswordsHere(parts);
  if (caller.limits)
    throw errors.operationDenied({ message: 'a restricted API key cannot create this link' });
  return parts.storage.write(async (tx) => {
    const user = await findUser(tx, guid);
    if (!user) throw errors.notFound();
    if (user.locked) throw errors.userLocked();
    const lifetime = user.password_hash === null ? FIRST_LIFETIME : SHOWN_LIFETIME;
    return makeLink(parts, tx, caller, user, { base, lifetime, mailed_to: null });
  });
}

/**
 * Mails a link to an account of this name, if it exists and may have one, without revealing that.
 * @throws ApiError 31, 43; 30 with status 429
 */
export async function requestPasswordReset(
  parts: Pick<
    Parts,
    'config' | 'storage' | 'clock' | 'ids' | 'log' | 'audit' | 'provider' | 'throttle' | 'mailer'
  >,
  username: string,
  base: string,
  { address }: Visit,
): Promise<void> {
  requirePasswordsHere(parts);
  if (!mayMailResets(parts)) throw errors.emailNotConfigured();
  // Counted as a failed attempt: repeated requests are delayed.
  const counted = errors.invalidCredentials();
  const attempt = { username: `reset of ${username}`, address, device: null };
  await parts.throttle
    .attempt(attempt, () => Promise.reject(counted))
    .catch((error: unknown) => {
      if (error !== counted) throw error;
    });
  // After the response, whose timing would reveal whether there is an account.
  setImmediate(() => {
    findUserByName(parts.storage.db, username)
      .then((user) => user && mailPasswordLink(parts, user, base))
      .catch((error: unknown) => parts.log.error(error, 'mailing a link to set a password'));
  });
}

/**
 * Requires a configured address: a forged host name in the request would lead to a link to a server of the attacker,
 * and reveal the token.
 */
export function mayMailResets({ config, mailer }: Pick<Parts, 'config' | 'mailer'>): boolean {
  return mailer !== null && config['Server.Address'] !== '';
}

/** Mails a link to the account's address, if there is a mail server. */
export async function mailPasswordLink(
  parts: Pick<Parts, 'storage' | 'clock' | 'ids' | 'log' | 'audit' | 'mailer'>,
  user: UserRow,
  base: string,
): Promise<void> {
  const { mailer, storage, clock, log } = parts;
  if (!mailer || user.email === '' || user.locked === 1) return;
  const first = user.password_hash === null;
  const made = await storage.write(async (tx) => {
    if ((await countMailedLinks(tx, user.guid, clock.now() - HOUR)) >= MAILS_AN_HOUR) return null;
    const lifetime = first ? FIRST_LIFETIME : MAILED_LIFETIME;
    return makeLink(parts, tx, actorOf(user), user, { base, lifetime, mailed_to: user.email });
  });
  if (!made) return;
  const why = first
    ? `An account named ${user.username} was made for you.`
    : `Somebody asked to set a new password for the account ${user.username}. If it was not you, do nothing.`;
  const subject = first ? 'Set your password' : 'Set a new password';
  const text = `${why}\n\nSet the password here, once: ${made.url}\n`;
  try {
    await mailer.send({ to: user.email, subject, text });
  } catch (error) {
    log.error(error, 'mailing a link to set a password to user %s', user.guid);
  }
}

/** The account of a token, which stays valid. @throws ApiError 101 */
export async function findByPasswordLink(
  { storage, clock }: Pick<Parts, 'storage' | 'clock'>,
  token: string,
): Promise<UserRow> {
  return (await linkOf(storage.db, token, clock.now())).user;
}

/** Sets the password for a link: the link and all sessions end. @throws ApiError 6, 31, 101 */
export async function setPasswordByLink(
  parts: Pick<Parts, 'config' | 'storage' | 'clock' | 'audit' | 'authenticator' | 'passwords' | 'provider'>,
  token: string,
  password: string,
  visit: Visit,
): Promise<UserRow> {
  const { config, storage, clock, audit, authenticator } = parts;
  requirePasswordsHere(parts);
  const { user: before } = await linkOf(storage.db, token, clock.now());
  await checkChosenPassword(config, password, [before.username, before.email]);
  const password_hash = await parts.passwords.hash(password);
  const user = await storage.write(async (tx) => {
    const { user: found, mailed } = await linkOf(tx, token, clock.now());
    await updateUserRow(tx, found.guid, {
      password_hash,
      must_set_password: 0,
      ...(mailed && { confirmed: 1 }),
    });
    await removePasswordLinks(tx, found.guid);
    await forgetWrongCodes(tx, found.guid);
    await removeSessionsOf(tx, found.guid);
    await audit(
      tx,
      actorOf(found),
      'reset_password',
      `Set the password of ${named(found)} by a link, from ${visit.address}`,
    );
    return found;
  });
  authenticator.forget(user.guid);
  return user;
}

async function linkOf(db: Executor, token: string, now: Micros): Promise<{ user: UserRow; mailed: boolean }> {
  const link = await findPasswordLink(db, hashSecret(token));
  const user = link && (await findUser(db, link.user_guid));
  // A link mailed to a previous address is invalid.
  const moved = link && link.mailed_to !== null && link.mailed_to !== user?.email;
  if (!link || !user || moved || link.expires_time <= now || user.locked === 1) {
    throw errors.invalidPasswordToken({ message: 'this link has expired: request another one' });
  }
  return { user, mailed: link.mailed_to !== null };
}

async function makeLink(
  { ids, clock, audit }: Pick<Parts, 'clock' | 'ids' | 'audit'>,
  tx: Executor,
  actor: Actor,
  user: UserRow,
  { base, lifetime, mailed_to }: { base: string; lifetime: Micros; mailed_to: string | null },
): Promise<{ url: string; expires: Micros }> {
  const [token, now] = [ids.secret(), clock.now()];
  await removeExpiredPasswordLinks(tx, now);
  const times = { created_time: now, expires_time: now + lifetime };
  await insertPasswordLink(tx, { token_hash: hashSecret(token), user_guid: user.guid, mailed_to, ...times });
  const how = mailed_to === null ? 'Made' : 'Mailed';
  await audit(tx, actor, 'add_password_link', `${how} a link to set the password of ${named(user)}`);
  return { url: `${base}${PASSWORD_PATH}?token=${token}`, expires: times.expires_time };
}

/** @throws ApiError 31 */
function requirePasswordsHere({ provider }: Pick<Parts, 'provider'>): void {
  if (provider.kind === 'password') return;
  throw errors.passwordChangeProhibited({
    message: `this server stores no passwords under ${provider.kind} authentication`,
  });
}

function named({ username, guid }: UserRow): string {
  return `user ${username} (${guid})`;
}
