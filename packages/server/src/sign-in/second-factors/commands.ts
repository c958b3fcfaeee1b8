// Second factors of accounts: an authenticator app (TOTP, RFC 6238) and recovery codes; for passkeys see passkeys.ts.
import { randomBytes } from 'node:crypto';
import { errors } from '@pressroom/api/contract';
import { Secret, TOTP } from 'otpauth';
import type { Audit } from '../../audit/record.ts';
import type { Config } from '../../main/config/settings.ts';
import { callerNow } from '../../people/caller-now.ts';
import { findUser, type UserRow } from '../../people/store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import { totpContext } from '../../platform/secrets/sealed-contexts.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { hashSecret, type Caller, type Authenticator } from '../authenticator.ts';
import { requireUnchanged } from '../begin-session.ts';
import { removeSessionsOf } from '../store.ts';
import type { Throttle } from '../throttle.ts';
import { actorOf, type Visit } from '../visit.ts';
import {
  countRecoveryCodes,
  countWrongCode,
  findTotp,
  forgetWrongCodes,
  insertTotp,
  listPasskeys,
  removeSecondFactors as removeRows,
  removeTotp as removeRow,
  setRecoveryCodes,
  useRecoveryCode,
  useTotpStep,
  type PasskeyRow,
} from './store.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly authenticator: Authenticator;
  readonly secrets: Secrets;
  readonly throttle: Throttle;
}

const STEP_SECONDS = 30;
/** Bytes of the shared secret: the length of the hash (RFC 4226). */
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
/** Microseconds to enter the first code. */
const OFFER_LIFETIME = 900_000_000;
/**
 * Wrong codes in a row after which those of the app are refused (NIST SP 800-63B-4, 3.2.2). Who guesses knows the
 * password: delays alone would let them in within months.
 */
const MAX_WRONG_CODES = 100;
const OFFER = 'offered totp';

export interface Factors {
  readonly totp: boolean;
  readonly recoveryCodes: number;
  readonly passkeys: readonly PasskeyRow[];
}

export async function factorsOf(
  { storage: { db } }: Pick<Parts, 'storage'>,
  userGuid: string,
): Promise<Factors> {
  const [totp, passkeys] = [await findTotp(db, userGuid), await listPasskeys(db, userGuid)];
  return { totp: totp !== undefined, recoveryCodes: await countRecoveryCodes(db, userGuid), passkeys };
}

/** Whether the settings require a second factor for an account. */
export function needsSecondFactor(
  { config }: Pick<Parts, 'config'>,
  { user_role }: Pick<UserRow, 'user_role'>,
): boolean {
  const who = config['Authentication.SecondFactor'];
  return who === 'everybody' || (who === 'administrators' && user_role === 'administrator');
}

export interface OfferedTotp {
  /** Content of the QR code; and the secret for manual entry. */
  readonly uri: string;
  readonly secret: string;
  /** Sent back with the first code. */
  readonly sealed: string;
}

interface Offer {
  readonly guid: string;
  readonly secret: string;
  readonly expires: number;
}

/**
 * A secret for an app; nothing is stored until a code proves that the app has it.
 * @param before an earlier offer: after a mistyped code, the QR code stays the same.
 */
export function offerTotp(
  parts: Pick<Parts, 'clock' | 'secrets'>,
  user: Pick<UserRow, 'guid' | 'username'>,
  before?: string | null,
): OfferedTotp {
  const { secrets, clock } = parts;
  const again = before ? openOffer(parts, user, before) : null;
  const secret =
    again?.secret ?? new Secret({ buffer: new Uint8Array(randomBytes(SECRET_BYTES)).buffer }).base32;
  const offer: Offer = { guid: user.guid, secret, expires: clock.now() + OFFER_LIFETIME };
  const uri = totpOf(secret, user.username).toString();
  return { uri, secret, sealed: secrets.encrypt(JSON.stringify(offer), OFFER) };
}

/**
 * Stores the offered secret, after its first code.
 * @param caller null for an account that must have an app before its first session
 * @returns recovery codes, shown once. @throws ApiError 24, 25, 30, 50, 99
 */
export async function addTotp(
  parts: Pick<Parts, 'storage' | 'clock' | 'audit' | 'secrets'>,
  user: UserRow,
  caller: Caller | null,
  { sealed, code }: { readonly sealed: string; readonly code: string },
): Promise<readonly string[]> {
  const { storage, secrets, clock, audit } = parts;
  const offer = openOffer(parts, user, sealed);
  if (offer === null) throw errors.invalidParameter({ message: 'this took too long: scan the new QR code' });
  const step = stepOf(offer.secret, withoutGaps(code), clock.now());
  if (step === null)
    throw errors.invalidCredentials({
      message: 'this code is incorrect: check the app and the time on your device',
    });
  const codes = newCodes();
  await storage.write(async (tx) => {
    await requireUnchanged(tx, user);
    if (caller) await callerNow(tx, caller);
    // Somebody else with the password may have set one up meanwhile, which must be proved then.
    else if (await hasFactor(tx, user.guid))
      throw errors.reauthenticationRequired({ message: 'A second factor was added: sign in again' });
    await removeRow(tx, user.guid);
    await insertTotp(tx, {
      user_guid: user.guid,
      secret: secrets.encrypt(offer.secret, totpContext(user.guid)),
      last_step: step,
      created_time: clock.now(),
    });
    await setRecoveryCodes(tx, user.guid, codes.map(hashCode));
    await audit(
      tx,
      actorOf(user),
      'add_second_factor',
      `Added an authenticator app to user ${user.username} (${user.guid})`,
    );
  });
  return codes;
}

async function hasFactor(tx: Executor, guid: string): Promise<boolean> {
  return (await findTotp(tx, guid)) !== undefined || (await listPasskeys(tx, guid)).length > 0;
}

/** Removes the app; recovery codes are removed with it unless there are passkeys. */
export async function removeTotp(
  { storage, audit }: Pick<Parts, 'storage' | 'audit'>,
  caller: Caller,
): Promise<void> {
  await storage.write(async (tx) => {
    await callerNow(tx, caller);
    if (!(await findTotp(tx, caller.guid))) throw errors.itemToRemoveNotFound();
    await removeRow(tx, caller.guid);
    if ((await listPasskeys(tx, caller.guid)).length === 0) await setRecoveryCodes(tx, caller.guid, []);
    await audit(
      tx,
      caller,
      'remove_second_factor',
      `Removed the authenticator app of user ${caller.username} (${caller.guid})`,
    );
  });
}

/** Replaces earlier codes. @returns the codes, shown once */
export async function makeRecoveryCodes(
  { storage, audit }: Pick<Parts, 'storage' | 'audit'>,
  caller: Caller,
): Promise<readonly string[]> {
  const codes = newCodes();
  await storage.write(async (tx) => {
    await callerNow(tx, caller);
    await setRecoveryCodes(tx, caller.guid, codes.map(hashCode));
    await audit(
      tx,
      caller,
      'add_second_factor',
      `Made new recovery codes of user ${caller.username} (${caller.guid})`,
    );
  });
  return codes;
}

/** By an administrator for somebody who lost them; sessions end. @throws ApiError 4 */
export async function removeSecondFactors(
  parts: Pick<Parts, 'storage' | 'audit' | 'authenticator'>,
  caller: Caller,
  guid: string,
): Promise<void> {
  const { storage, audit, authenticator } = parts;
  await storage.write(async (tx) => {
    const user = await findUser(tx, guid);
    if (!user) throw errors.notFound();
    await removeRows(tx, guid);
    await removeSessionsOf(tx, guid);
    await audit(
      tx,
      caller,
      'remove_second_factor',
      `Removed all second factors of user ${user.username} (${guid})`,
    );
  });
  authenticator.forget(guid);
}

/**
 * A code of the app, or a recovery code; each is valid once. Attempts are limited per account, as the password was right
 * already; those of others neither delay nor refuse a known browser.
 * @throws ApiError 30
 */
export async function checkCode(
  parts: Pick<Parts, 'storage' | 'clock' | 'audit' | 'secrets' | 'throttle'>,
  user: UserRow,
  typed: string,
  visit: Visit,
): Promise<void> {
  const { throttle, storage, clock, secrets, audit } = parts;
  const attempt = { username: `second factor of ${user.guid}`, address: '', device: visit.device };
  await throttle.attempt(attempt, async () => {
    const code = withoutGaps(typed);
    const totp = await findTotp(storage.db, user.guid);
    const isRefused = totp !== undefined && visit.device === null && totp.failures >= MAX_WRONG_CODES;
    const step =
      totp && !isRefused
        ? stepOf(secrets.decrypt(totp.secret, totpContext(user.guid)), code, clock.now())
        : null;
    const right = await storage.write(async (tx) => {
      if (step !== null && (await useTotpStep(tx, user.guid, step))) return true;
      if (!(await useRecoveryCode(tx, user.guid, hashCode(code)))) {
        await countWrongCode(tx, user.guid);
        return false;
      }
      await forgetWrongCodes(tx, user.guid);
      const description = `Used a recovery code of user ${user.username} (${user.guid}), from ${visit.address}`;
      await audit(tx, actorOf(user), 'remove_second_factor', description);
      return true;
    });
    if (right) return;
    const message = isRefused
      ? 'too many wrong codes of the app: sign in with a recovery code, or set a new password'
      : 'this code is incorrect or was already used';
    throw errors.invalidCredentials({ message });
  });
}

/** Null if invalid, somebody else's, or expired. */
function openOffer(
  { secrets, clock }: Pick<Parts, 'clock' | 'secrets'>,
  { guid }: Pick<UserRow, 'guid'>,
  sealed: string,
): Offer | null {
  try {
    const offer = secrets.decryptJson<Offer>(sealed, OFFER);
    return offer.guid === guid && offer.expires > clock.now() ? offer : null;
  } catch {
    return null;
  }
}

function totpOf(secret: string, label: string): TOTP {
  const options = { issuer: 'Pressroom', algorithm: 'SHA1', digits: 6, period: STEP_SECONDS } as const;
  return new TOTP({ ...options, label, secret: Secret.fromBase32(secret) });
}

/** Apps show a code in two groups, and recovery codes have six. */
function withoutGaps(typed: string): string {
  return typed.replace(/[\s-]/g, '').slice(0, 64);
}

/** The time step of a code, tolerating one earlier or later; null if it matches none. */
function stepOf(secret: string, code: string, now: number): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const timestamp = Math.floor(now / 1000);
  const delta = totpOf(secret, '').validate({ token: code, timestamp, window: 1 });
  return delta === null ? null : Math.floor(timestamp / 1000 / STEP_SECONDS) + delta;
}

/** 120 random bits each, so that a plain hash is safe, in unambiguous letters: six groups of four. */
function newCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const secret = new Secret({ buffer: new Uint8Array(randomBytes(15)).buffer });
    return secret.base32.toLowerCase().replaceAll(/.{4}(?=.)/g, '$&-');
  });
}

function hashCode(code: string): string {
  return hashSecret(code.replaceAll('-', '').toLowerCase());
}
