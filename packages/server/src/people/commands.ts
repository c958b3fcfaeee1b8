// Commands on user accounts: create by an administrator or from a ticket, update, lock (contract, 4.8).
import { errors, type ServerRole } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import { type Actor, type Audit, SYSTEM } from '../audit/record.ts';
import type { Config } from '../main/config/settings.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { UserTable } from '../platform/database/schema.ts';
import { type Executor, isUniqueViolation, type Storage } from '../platform/database/storage.ts';
import type { Mailer } from '../platform/mailer.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import type { Authenticator, Caller } from '../sign-in/authenticator.ts';
import { mailPasswordLink } from '../sign-in/passwords/commands.ts';
import { removePasswordLinks } from '../sign-in/passwords/link-store.ts';
import { checkGivenPassword } from '../sign-in/passwords/password-policy.ts';
import type { Passwords } from '../sign-in/passwords/passwords.ts';
import type { SignInProvider } from '../sign-in/providers/provider.ts';
import { needsSecondFactor } from '../sign-in/second-factors/commands.ts';
import { removeSessionsOf } from '../sign-in/store.ts';
import { countConfirmation, sendConfirmation } from './confirm-user.ts';
import type { RemotePerson } from './directory.ts';
import { sentInTime } from './notify-people.ts';
import { ROLE_RANK } from './roles.ts';
import {
  countUsers,
  findUser,
  userOf,
  findUserByName,
  insertUser,
  updateUserRow,
  type UserRow,
} from './store.ts';
import { isUsername } from './username.ts';

export interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly audit: Audit;
  readonly authenticator: Authenticator;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly provider: SignInProvider;
  readonly mailer: Mailer | null;
}

export interface NewUser {
  username: string;
  email?: string;
  first_name?: string;
  last_name?: string;
  password?: string;
  user_must_set_password?: boolean;
  user_role?: ServerRole | null;
  unique_id?: string;
}

export interface UserChanges {
  email?: string;
  first_name?: string;
  last_name?: string;
  user_role?: ServerRole;
  username?: string;
}

/**
 * Creates an account from given data (createPushUser).
 * @param caller null only for the first user under password authentication, who becomes an administrator.
 * @throws ApiError 6, 7, 8, 24, 25, 41, 64, 76, 128, 129
 */
export async function createUser(
  parts: Pick<
    Parts,
    'config' | 'storage' | 'clock' | 'ids' | 'log' | 'audit' | 'passwords' | 'secrets' | 'provider' | 'mailer'
  >,
  caller: Caller | null,
  body: NewUser,
  base: string,
): Promise<UserRow> {
  const { storage, passwords } = parts;
  if (!caller) await requireFirstUser(parts, storage.db);
  await checkNewUser(parts, body, caller === null);
  const hash = body.password === undefined ? null : await passwords.hash(body.password);
  const row = await insertAccount(parts, caller, {
    ...person(body),
    user_role: caller ? (body.user_role ?? null) : 'administrator',
    password_hash: hash,
    must_set_password: body.user_must_set_password ? 1 : 0,
    // Confirmation requires a link in a mail: without a mail server, accounts count as confirmed.
    confirmed: parts.provider.kind === 'password' && parts.mailer ? 0 : 1,
    unique_id: body.unique_id ?? null,
  });
  // Setting the first password by the mailed link also confirms the address.
  const mail = row.must_set_password === 1 ? mailPasswordLink : sendConfirmation;
  await sentInTime(mail(parts, row, base));
  return row;
}

/** Creates an account for a person found in the directory (createPullUser). @throws ApiError 7, 8, 64, 76, 129 */
export async function createRemoteUser(
  parts: Pick<Parts, 'config' | 'storage' | 'clock' | 'ids' | 'audit'>,
  caller: Caller,
  found: RemotePerson,
): Promise<UserRow> {
  checkUsername(found.username);
  const rest = { user_role: null, password_hash: null, must_set_password: 0, confirmed: 1 } as const;
  return insertAccount(parts, caller, { ...person(found), ...rest, unique_id: found.unique_id });
}

/** @throws ApiError 24 unless there is no account yet, under password authentication. */
export async function requireFirstUser({ config }: Pick<Parts, 'config'>, db: Executor): Promise<void> {
  const open = config['Authentication.Provider'] === 'password' && (await countUsers(db, 'all')) === 0;
  if (!open) throw errors.authenticationRequired();
}

async function checkNewUser(
  { config, provider: { kind, needsUniqueId } }: Pick<Parts, 'config' | 'provider'>,
  body: NewUser,
  first: boolean,
): Promise<void> {
  checkUsername(body.username);
  if (kind === 'password') {
    if (body.email === '') throw errors.emailBlank();
    if (first && body.password === undefined) throw errors.initialPasswordRequired();
    if (body.user_must_set_password && body.password !== undefined) {
      throw errors.invalidParameter({
        message: 'do not send a password when user_must_set_password is true',
      });
    }
    if (!body.user_must_set_password)
      await checkGivenPassword(config, body.password, [body.username, body.email ?? '']);
    return;
  }
  if (body.password !== undefined || body.user_must_set_password !== undefined) {
    throw errors.invalidParameter({
      message: `this server stores no passwords under ${kind} authentication`,
    });
  }
  if (needsUniqueId && !body.unique_id) throw errors.userUniqueIdBlank();
}

function checkUsername(username: string): void {
  if (!isUsername(username)) throw errors.usernameNotPermitted();
}

function person({ username, email, first_name, last_name }: NewUser) {
  return { username, email: email ?? '', first_name: first_name ?? '', last_name: last_name ?? '' };
}

type Account = Pick<UserRow, 'username' | 'email' | 'first_name' | 'last_name'> &
  Pick<UserTable, 'password_hash' | 'must_set_password' | 'confirmed' | 'unique_id'> & {
    user_role: ServerRole | null;
  };

async function insertAccount(
  parts: Pick<Parts, 'config' | 'storage' | 'clock' | 'ids' | 'audit'>,
  caller: Caller | null,
  account: Account,
): Promise<UserRow> {
  try {
    return await parts.storage.write(async (tx) => {
      if (!caller) await requireFirstUser(parts, tx);
      if (await findUserByName(tx, account.username)) throw errors.usernameTaken();
      if (account.unique_id === '') throw errors.userUniqueIdBlank();
      return insertAccountRow(parts, tx, caller ?? SYSTEM, account);
    });
  } catch (error) {
    // The name was checked, so the unique id is taken.
    if (isUniqueViolation(error))
      throw errors[account.unique_id === null ? 'usernameTaken' : 'userUniqueIdTaken']({ cause: error });
    throw error;
  }
}

/** To be called in a transaction that has checked the name and the id. @throws ApiError 64 */
export async function insertAccountRow(
  parts: Pick<Parts, 'config' | 'clock' | 'ids' | 'audit'>,
  tx: Executor,
  actor: Actor,
  account: Account,
): Promise<UserRow> {
  const { clock, ids, config, audit } = parts;
  await requireLicence(parts, tx);
  const now = clock.now();
  const guid = ids.uuid();
  const user_role = account.user_role ?? config['Authorization.DefaultUserRole'];
  await insertUser(tx, {
    ...account,
    guid,
    user_role,
    locked: 0,
    created_time: now,
    updated_time: now,
    active_time: null,
  });
  await audit(tx, actor, 'add_user', `Created user ${account.username} (${guid}), ${user_role}`);
  return userOf(tx, guid);
}

async function requireLicence({ config }: Pick<Parts, 'config'>, tx: Executor): Promise<void> {
  const limit = config['Licensing.UserLimit'];
  if (limit > 0 && (await countUsers(tx, 'unlocked')) >= limit) throw errors.userLimitExceeded();
}

/**
 * An address that somebody gives their own account may be a stranger's: it is mailed nothing but the link until that is
 * opened.
 * @throws ApiError 4, 7, 8, 21, 23, 36, 46, 61, 128
 */
export async function updateUser(
  parts: Pick<
    Parts,
    'config' | 'storage' | 'clock' | 'log' | 'audit' | 'authenticator' | 'secrets' | 'provider' | 'mailer'
  >,
  caller: Caller,
  guid: string,
  changes: UserChanges,
  base: string,
) {
  const { storage, authenticator } = parts;
  const { row, before } = await storage.write((tx) => changeWithin(tx, parts, caller, guid, changes));
  authenticator.forget(guid);
  if (changes.email !== undefined && row.confirmed === 0)
    await sentInTime(sendConfirmation(parts, row, base));
  if (row.email !== before.email) await sentInTime(notifyOldAddress(parts, row, before));
  return row;
}

/**
 * Returns the changed account and the one before. The caller must make the authenticator forget the account.
 */
export async function changeWithin(
  tx: Executor,
  parts: Pick<Parts, 'config' | 'clock' | 'audit' | 'provider' | 'mailer'>,
  caller: Caller,
  guid: string,
  changes: UserChanges,
): Promise<{ row: UserRow; before: Pick<UserRow, 'email' | 'confirmed'> }> {
  const target = await findUser(tx, guid);
  if (!target) throw errors.notFound();
  const actual = differing(target, changes);
  checkUpdate(parts, caller, target, actual);
  await checkRoleChange(tx, caller, target, actual.user_role);
  if (actual.username !== undefined) {
    checkUsername(actual.username);
    const other = await findUserByName(tx, actual.username);
    if (other && other.guid !== guid) throw errors.usernameTaken();
  }
  // The same unconfirmed address asks for its link once more.
  const isMailed = actual.email !== undefined || (changes.email !== undefined && target.confirmed === 0);
  const needsLink = isMailed && parts.mailer !== null && caller.role !== 'administrator';
  if (needsLink) await countConfirmation(parts, tx, guid);
  const unconfirmed = needsLink && { confirmed: 0 as const };
  await updateUserRow(tx, guid, { ...actual, ...unconfirmed, updated_time: parts.clock.now() });
  const needsMore = !needsSecondFactor(parts, target) && needsSecondFactor(parts, { ...target, ...actual });
  // They may have begun without it.
  if (needsMore) await removeSessionsOf(tx, guid);
  const fields = Object.keys(actual).join(', ') || 'nothing';
  const role = actual.user_role === undefined ? '' : `, from ${target.user_role} to ${actual.user_role}`;
  const description = `Changed ${fields} of user ${target.username} (${guid})${role}`;
  await parts.audit(tx, caller, 'edit_user', description);
  return { row: await userOf(tx, guid), before: target };
}

/** Informs the previous address: an attacker would redirect the account's mail. */
async function notifyOldAddress(
  { mailer, log }: Pick<Parts, 'log' | 'mailer'>,
  row: UserRow,
  before: Pick<UserRow, 'email' | 'confirmed'>,
): Promise<void> {
  if (!mailer || before.email === '' || before.confirmed === 0) return;
  const text =
    `The address of the account ${row.username} was changed: mail of this server no longer comes here.\n\n` +
    'If that was not you, tell an administrator at once, and revoke your API keys.\n';
  await mailer
    .send({ to: before.email, subject: 'Your address was changed', text })
    .catch((error: unknown) => log.error(error, 'telling %s of a changed address', row.guid));
}

function differing(target: UserRow, changes: UserChanges): UserChanges {
  const fields = ['email', 'first_name', 'last_name', 'user_role', 'username'] as const;
  const changed = fields.filter((field) => changes[field] !== undefined && changes[field] !== target[field]);
  return Object.fromEntries(changed.map((field) => [field, changes[field]]));
}

function checkUpdate(
  { config, provider }: Pick<Parts, 'config' | 'provider'>,
  caller: Caller,
  target: UserRow,
  changes: UserChanges,
): void {
  const self = caller.guid === target.guid;
  const administrator = caller.role === 'administrator';
  if (!self && !administrator) throw errors.changeDenied();
  // Mail can reset the account: a limited key must not be able to change its address.
  if (self && caller.limits && changes.email !== undefined)
    throw errors.changeDenied({ message: "a restricted API key cannot change its owner's email address" });
  const profile = { ...changes };
  delete profile.user_role;
  if (Object.keys(profile).length > 0) {
    if (!administrator && config['Authorization.UserInfoEditableBy'] === 'Admin') throw errors.changeDenied();
    checkProviderFields(provider, target, profile);
  }
}

/** Fields that come from the directory can be changed only there; only administrators get here for a locked account. */
function checkProviderFields(
  { kind, profileFields }: SignInProvider,
  { locked }: UserRow,
  { username, ...profile }: UserChanges,
): void {
  // The provider may give the name of a locked account to somebody else, or to the same person with another id.
  if (username !== undefined && kind !== 'password' && locked === 0) throw errors.usernameFixed();
  if (profileFields.some((field) => profile[field] !== undefined)) throw errors.internalUserFieldFixed();
  if (kind === 'password' && profile.email === '') throw errors.emailBlank();
}

async function checkRoleChange(tx: Executor, caller: Caller, target: UserRow, role: ServerRole | undefined) {
  if (role === undefined) return;
  const upgrade = ROLE_RANK[role] > ROLE_RANK[target.user_role];
  if (upgrade && (caller.guid === target.guid || caller.role !== 'administrator')) throw errors.roleDenied();
  if (await isLastAdministrator(tx, target)) throw errors.lastAdministrator();
}

async function isLastAdministrator(tx: Executor, { user_role, locked }: UserRow): Promise<boolean> {
  return user_role === 'administrator' && locked === 0 && (await countUsers(tx, 'administrators')) === 1;
}

/** Locks or unlocks; changes neither updated_time nor active_time (interop.md). @throws ApiError 4, 49, 61, 64 */
export async function lockUser(
  parts: Pick<Parts, 'config' | 'storage' | 'audit' | 'authenticator'>,
  caller: Caller,
  guid: string,
  locked: boolean,
): Promise<void> {
  const { storage, audit, authenticator } = parts;
  await storage.write(async (tx) => {
    const target = await findUser(tx, guid);
    if (!target) throw errors.notFound();
    if (target.guid === caller.guid) throw errors.lockDenied();
    if ((target.locked === 1) === locked) return;
    if (!locked) await requireLicence(parts, tx);
    // The caller may have been locked, or lost the role, since the request started.
    else if (await isLastAdministrator(tx, target))
      throw errors.lastAdministrator({ message: 'Cannot lock the only remaining administrator' });
    await updateUserRow(tx, guid, { locked: locked ? 1 : 0 });
    if (locked) {
      await removeSessionsOf(tx, guid);
      await removePasswordLinks(tx, guid);
    }
    const verb = locked ? 'Locked' : 'Unlocked';
    await audit(tx, caller, 'update_lock_user', `${verb} user ${target.username} (${guid})`);
  });
  authenticator.forget(guid);
}
