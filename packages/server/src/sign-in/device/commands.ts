// Signing in in the browser for a program without one (RFC 8628): begun, looked at, decided, and polled until there is a key.
import { type DeviceError, errors } from '@pressroom/api/contract';
import type { Audit } from '../../audit/record.ts';
import { findUser, type UserRow } from '../../people/store.ts';
import { toTimestamp, type Clock, type Ids } from '../../platform/clock.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { mintApiKey, type MintedKey } from '../api-keys.ts';
import { hashSecret, type Caller } from '../authenticator.ts';
import { networkOf, type Throttle } from '../throttle.ts';
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

interface Parts {
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
/** What `slow_down` adds, and where it ends. */
const SLOWER_BY = 5;
const SLOWEST = 60;
const MICROS = 1_000_000;
/** Polls may come a little early: clocks and networks are not exact. */
const EARLY = 500_000;
/** How long what was allowed can be fetched once, where it is more than a key: two polls at the slowest pace. */
const FETCH_SECONDS = 2 * SLOWEST;
/** That wait at the same time: from one network, and in all. */
const WAITING_NEAR = 50;
const WAITING = 10_000;

/** What a program gets once its person allowed it, and whose API key asked. */
export type Purpose = Pick<DeviceSignInRow, 'purpose' | 'asked_by'>;
const SIGN_IN: Purpose = { purpose: 'sign_in', asked_by: null };

/** @param address where the program asks from. @throws ApiError 25 for a name that cannot be shown, or too many that wait. */
export async function beginDeviceSignIn(
  { storage, clock, ids, secrets }: Pick<Parts, 'storage' | 'clock' | 'ids' | 'secrets'>,
  clientName: string,
  address: string,
  purpose = SIGN_IN,
): Promise<BegunSignIn> {
  const client_name = shownName(clientName);
  if (client_name === '')
    throw errors.invalidParameter({ message: 'client_name contains no printable characters' });
  const [deviceCode, userCode, network] = [ids.secret(), ids.userCode(), networkOf(address)];
  await storage.write(async (tx) => {
    const now = clock.now();
    await removeExpiredDeviceSignIns(tx, now);
    const { all, near } = await countDeviceSignIns(tx, network);
    if (near >= WAITING_NEAR || all >= WAITING) {
      throw errors.invalidParameter({
        message: 'too many sign-in requests are pending: try again in ten minutes',
      });
    }
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

/** A user code has few bits: what is kept of it says nothing without the server's secret. */
function userCodeHash(secrets: Parts['secrets'], code: string): string {
  return secrets.derive(`user code ${code}`);
}

/**
 * What waits for a decision under a code. Guesses of one person wait longer and longer.
 * @throws ApiError 30 where nothing waits under it.
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
  /** Whether the person signed in just now. */
  readonly isFresh: boolean;
}

/** A person allows or denies, once. @throws ApiError 30, and 22 for a backup that is not theirs to allow */
export async function decideDeviceSignIn(
  parts: Pick<Parts, 'storage' | 'clock' | 'audit' | 'secrets' | 'throttle'>,
  caller: Caller,
  typed: string,
  { decision, isFresh }: Decision,
): Promise<DeviceSignInRow> {
  const { storage, audit, clock } = parts;
  await findWaiting(parts, caller, typed);
  return storage.write(async (tx) => {
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

/** A backup is for whoever's API key asked: nobody confirms it for somebody else. @throws ApiError 22 */
export function requireOwn(row: DeviceSignInRow, caller: Caller): void {
  if (row.asked_by === caller.guid && caller.role === 'administrator') return;
  throw errors.operationDenied({
    message: 'A backup is confirmed by the administrator whose API key asked for it.',
  });
}

/** The key, once: it is made now, in the name of whoever allowed it. @throws ApiError 25 with a word of RFC 8628 */
export function pollDeviceSignIn(
  parts: Pick<Parts, 'storage' | 'clock' | 'ids' | 'audit'>,
  deviceCode: string,
): Promise<MintedKey> {
  return claimAllowed(parts, { deviceCode, ...SIGN_IN }, (tx, row, user) => {
    const actor = { ...user, full_name: `${user.first_name} ${user.last_name}`.trim() };
    const name = `${row.client_name}, ${toTimestamp(parts.clock.now()).slice(0, 10)}`;
    return mintApiKey(parts, tx, actor, user.guid, { name });
  });
}

/** What a program asks with: its code gets what it was begun for, and for the same account. */
export interface Claim extends Purpose {
  readonly deviceCode: string;
}

/**
 * Does what the person allowed, once. @param take within the transaction that forgets the code
 * @throws ApiError 25 with a word of RFC 8628
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
  // Anybody may ask, as often as they like: what changes nothing takes no writer's turn.
  const idle = refusal !== null && (refusal !== 'slow_down' || row?.poll_seconds === SLOWEST);
  const answer = idle
    ? refusal
    : await storage.write(async (tx) => {
        const allowed = await poll(tx, await find(tx), clock.now());
        return typeof allowed === 'string' ? allowed : take(tx, allowed.row, allowed.user);
      });
  // Thrown outside: what the poll wrote down must stand.
  if (typeof answer === 'string') throw errors.invalidParameter({ message: answer });
  return answer;
}

/** Null where there is something to do: a key to make, or a poll in its time to write down. */
function refusalOf(row: DeviceSignInRow | undefined, now: number): DeviceError | null {
  // One that never was is like one that is over: the program has to begin again.
  if (!row || row.expires_time <= now) return 'expired_token';
  if (row.decision === 'denied') return 'access_denied';
  const soon = now - row.polled_time < row.poll_seconds * MICROS - EARLY;
  return row.decision === null && soon ? 'slow_down' : null;
}

/** Whoever allowed it; the code is worth nothing from then on. */
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
