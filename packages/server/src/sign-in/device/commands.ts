// Device sign-in for programs without a browser (RFC 8628): begin, review, decide, and poll for the key.
import { type DeviceError, errors } from '@pressroom/api/contract';
import type { Audit } from '../../audit/record.ts';
import { callerNow } from '../../people/caller-now.ts';
import { findUser, type UserRow } from '../../people/store.ts';
import { toTimestamp, type Clock, type Ids } from '../../platform/clock.ts';
import type { Micros } from '../../platform/database/schema.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { type KeyForm, mintApiKey, type MintedKey } from '../api-keys.ts';
import { hashSecret, type Caller } from '../authenticator.ts';
import { hasRoom, siteLike } from '../pending.ts';
import { networkOf, type Throttle } from '../throttle.ts';
import { actorOf } from '../visit.ts';
import { readCode, shownCode, shownName, type BegunSignIn } from './present.ts';
import {
  countDeviceSignIns,
  findDeviceSignIn,
  insertDeviceSignIn,
  removeDeviceSignIn,
  removeExpiredDeviceSignIns,
  updateDeviceSignIn,
  type DeviceSignInRow,
} from './store.ts';

export interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: Audit;
  readonly secrets: Secrets;
  readonly throttle: Throttle;
}

/** Seconds. */
const LIFETIME = 600;
const POLL_SECONDS = 5;
/** Seconds added by `slow_down`, and their maximum. */
const SLOWER_BY = 5;
const SLOWEST = 60;
const MICROS = 1_000_000;
/** Microseconds that polls may be early: clocks and networks are imprecise. */
const EARLY = 500_000;
/** Seconds to fetch the result of an approval once: two polls at the slowest pace. */
const FETCH_SECONDS = 2 * SLOWEST;
/** Maximum waiting requests from one network. */
const WAITING_NEAR = 50;

/** What the program gets after approval, and the owner of the API key that asked. */
export type Purpose = Pick<DeviceSignInRow, 'purpose' | 'asked_by'>;
const SIGN_IN: Purpose = { purpose: 'sign_in', asked_by: null };

/** @param address of the program. @throws ApiError 25 for a name that cannot be shown, or too many waiting requests. */
export async function beginDeviceSignIn(
  { storage, clock, ids, secrets }: Pick<Parts, 'storage' | 'clock' | 'ids' | 'secrets'>,
  clientName: string,
  address: string,
  purpose = SIGN_IN,
): Promise<BegunSignIn> {
  const client_name = shownName(clientName);
  if (client_name === '')
    throw errors.invalidParameter({ message: 'client_name must contain characters that can be shown' });
  const [deviceCode, userCode, network] = [ids.secret(), ids.userCode(), networkOf(address)];
  // First without a transaction: whoever is refused must not hold up writers.
  await requireRoom(storage.db, network, clock.now());
  await storage.write(async (tx) => {
    const now = clock.now();
    await removeExpiredDeviceSignIns(tx, now);
    await requireRoom(tx, network, now);
    await insertDeviceSignIn(tx, {
      device_hash: hashSecret(deviceCode),
      user_code_hash: userCodeHash(secrets, userCode),
      client_name,
      address,
      network,
      created_time: now,
      expires_time: now + LIFETIME * MICROS,
      poll_seconds: POLL_SECONDS,
      polled_time: 0,
      decision: null,
      user_guid: null,
      ...purpose,
    });
  });
  return { deviceCode, userCode: shownCode(userCode), expiresIn: LIFETIME, interval: POLL_SECONDS };
}

/** @throws ApiError 25 */
async function requireRoom(db: Executor, network: string, now: Micros): Promise<void> {
  if (hasRoom(await countDeviceSignIns(db, { network, site: siteLike(network) }, now), WAITING_NEAR)) return;
  throw errors.invalidParameter({
    message: 'too many sign-in requests are pending: try again in ten minutes',
  });
}

/** User codes have few bits: the stored hash is keyed with the server's secret. */
function userCodeHash(secrets: Parts['secrets'], code: string): string {
  return secrets.derive(`user code ${code}`);
}

/**
 * The request waiting under a code. Wrong guesses are delayed increasingly.
 * @throws ApiError 30 if there is none.
 */
export function findWaiting(
  parts: Pick<Parts, 'storage' | 'clock' | 'secrets' | 'throttle'>,
  caller: Caller,
  typed: string,
): Promise<DeviceSignInRow> {
  const { storage, throttle } = parts;
  const attempt = { username: `user code of ${caller.guid}`, address: '', device: null };
  return throttle.attempt(attempt, () => waitingIn(parts, storage.db, typed));
}

async function waitingIn(
  { clock, secrets }: Pick<Parts, 'clock' | 'secrets'>,
  db: Executor,
  typed: string,
): Promise<DeviceSignInRow> {
  const code = readCode(typed);
  const row =
    code === null ? undefined : await findDeviceSignIn(db, 'user_code_hash', userCodeHash(secrets, code));
  if (!row || row.expires_time <= clock.now() || row.decision !== null) {
    throw errors.invalidCredentials({
      message: 'This code is invalid or has expired.',
    });
  }
  return row;
}

export interface Decision {
  readonly decision: 'allowed' | 'denied';
  /** Whether the person has just signed in. */
  readonly isFresh: boolean;
}

/** Approves or denies, once. @throws ApiError 24, 30, 50, and 22 for a backup that the person may not approve */
export async function decideDeviceSignIn(
  parts: Pick<Parts, 'storage' | 'clock' | 'audit' | 'secrets' | 'throttle'>,
  caller: Caller,
  typed: string,
  { decision, isFresh }: Decision,
): Promise<DeviceSignInRow> {
  const { storage, audit, clock } = parts;
  await findWaiting(parts, caller, typed);
  return storage.write(async (tx) => {
    // A guess before may have delayed this one.
    await callerNow(tx, caller);
    const row = await waitingIn(parts, tx, typed);
    const isBackup = row.purpose === 'backup';
    if (isBackup) requireOwn(row, caller);
    if (isBackup && decision === 'allowed' && !isFresh)
      throw errors.operationDenied({
        message: 'Sign in again: a backup needs a sign-in within ten minutes.',
      });
    const expires_time = isBackup ? clock.now() + FETCH_SECONDS * MICROS : row.expires_time;
    await updateDeviceSignIn(tx, row.device_hash, { decision, user_guid: caller.guid, expires_time });
    const action = decision === 'allowed' ? 'allow_device' : 'deny_device';
    const words = decision === 'allowed' ? 'Allowed' : 'Denied';
    const what = isBackup ? 'to download a backup' : `to act as ${caller.username}`;
    await audit(tx, caller, action, `${words} "${row.client_name}" (asked from ${row.address}) ${what}`);
    return row;
  });
}

/** A backup can be approved only by the owner of the API key that asked. @throws ApiError 22 */
export function requireOwn(row: DeviceSignInRow, caller: Caller): void {
  if (row.asked_by === caller.guid && caller.role === 'administrator') return;
  throw errors.operationDenied({
    message: 'A backup is confirmed by the administrator whose API key asked for it.',
  });
}

/**
 * Creates and returns the key, once, in the name of the person who approved. @throws ApiError 25 with an error code of
 * RFC 8628
 */
export function pollDeviceSignIn(
  parts: Pick<Parts, 'storage' | 'clock' | 'ids' | 'audit'>,
  deviceCode: string,
  as: KeyForm = 'key',
): Promise<MintedKey> {
  return claimAllowed(parts, { deviceCode, ...SIGN_IN }, (tx, row, user) => {
    const name = `${row.client_name}, ${toTimestamp(parts.clock.now()).slice(0, 10)}`;
    return mintApiKey(parts, tx, actorOf(user), user.guid, { name, as });
  });
}

/** The claim of a program: its code is valid only for the purpose and account it was created for. */
export interface Claim extends Purpose {
  readonly deviceCode: string;
}

/**
 * Performs an approved action once. @param take in the transaction that removes the code
 * @throws ApiError 25 with an error code of RFC 8628
 */
export async function claimAllowed<T extends object>(
  { storage, clock }: Pick<Parts, 'storage' | 'clock'>,
  { deviceCode, ...claimed }: Claim,
  take: (tx: Executor, row: DeviceSignInRow, user: UserRow) => Promise<T>,
): Promise<T> {
  const hash = hashSecret(deviceCode);
  const find = async (db: Executor) => {
    const row = await findDeviceSignIn(db, 'device_hash', hash);
    return row?.purpose === claimed.purpose && row.asked_by === claimed.asked_by ? row : undefined;
  };
  const row = await find(storage.db);
  const refusal = refusalOf(row, clock.now());
  // Anybody may poll at any rate: a poll without changes does not lock writers.
  const idle = refusal !== null && (refusal !== 'slow_down' || row?.poll_seconds === SLOWEST);
  const response = idle
    ? refusal
    : await storage.write(async (tx) => {
        const allowed = await poll(tx, await find(tx), clock.now());
        return typeof allowed === 'string' ? allowed : take(tx, allowed.row, allowed.user);
      });
  // Thrown outside the transaction, so that the poll is recorded.
  if (typeof response === 'string') throw errors.invalidParameter({ message: response });
  return response;
}

/** Null if there is something to write: a key to create, or a timely poll to record. */
function refusalOf(row: DeviceSignInRow | undefined, now: number): DeviceError | null {
  // An unknown code is treated like an expired one: the program has to start again.
  if (!row || row.expires_time <= now) return 'expired_token';
  if (row.decision === 'denied') return 'access_denied';
  const soon = now - row.polled_time < row.poll_seconds * MICROS - EARLY;
  return row.decision === null && soon ? 'slow_down' : null;
}

/** Returns who approved; the code is used up. */
async function poll(
  tx: Executor,
  row: DeviceSignInRow | undefined,
  now: number,
): Promise<{ readonly row: DeviceSignInRow; readonly user: UserRow } | DeviceError> {
  const refusal = refusalOf(row, now);
  if (!row) return 'expired_token';
  if (refusal === 'slow_down') {
    const poll_seconds = Math.min(row.poll_seconds + SLOWER_BY, SLOWEST);
    await updateDeviceSignIn(tx, row.device_hash, { poll_seconds });
  }
  if (refusal !== null) return refusal;
  if (row.decision === null) {
    await updateDeviceSignIn(tx, row.device_hash, { polled_time: now });
    return 'authorization_pending';
  }
  await removeDeviceSignIn(tx, row.device_hash);
  const user = row.user_guid === null ? undefined : await findUser(tx, row.user_guid);
  return user && user.locked === 0 ? { row, user } : 'access_denied';
}
