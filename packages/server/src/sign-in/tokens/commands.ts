// Tokens of programs that sign their requests: registered, reviewed, and claimed or denied by a person within one hour.
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../../audit/record.ts';
import { callerNow } from '../../people/caller-now.ts';
import { toTimestamp, type Clock } from '../../platform/clock.ts';
import type { Micros } from '../../platform/database/schema.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import { tokenHash, type Caller } from '../authenticator.ts';
import { shownName } from '../device/present.ts';
import { hasRoom, siteLike } from '../pending.ts';
import { findSigningKey, insertApiKey } from '../store.ts';
import { networkOf, type Throttle } from '../throttle.ts';
import { fingerprintOf, readPublicKey } from './public-key.ts';
import {
  countTokens,
  denyToken,
  findToken,
  insertToken,
  isTokenTaken,
  removeToken,
  removeTokensBefore,
  type SignInTokenRow,
} from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly throttle: Throttle;
}

const MICROS = 1_000_000;
const LIFETIME = 3600 * MICROS;
/** Time in which a token is reported as expired or denied. */
const REMEMBERED = 2 * LIFETIME;
/** Maximum waiting tokens from one network. */
const WAITING_NEAR = 200;

export interface NewToken {
  readonly token?: string | undefined;
  readonly public_key?: string | undefined;
}

/**
 * @param program self-description of the program. @param address of the program.
 * @throws ApiError 86 for an invalid token or no RSA key, 85 if either is known, 25 if too many wait
 */
export async function registerToken(
  { storage, clock }: Pick<Parts, 'storage' | 'clock'>,
  { token, public_key: text }: NewToken,
  program: string,
  address: string,
): Promise<string> {
  if (token === undefined || text === undefined) throw errors.newTokenIncomplete();
  const public_key = readPublicKey(text);
  if (public_key === null)
    throw errors.newTokenIncomplete({
      message: 'public_key must be an RSA key of 2048 to 4096 bits: DER (SubjectPublicKeyInfo) in base64',
    });
  const [token_hash, network] = [tokenHash(token), networkOf(address)];
  const requireNew = async (db: Executor, now: Micros) => {
    if (await isTokenTaken(db, token_hash, public_key, now - REMEMBERED)) throw errors.tokenKeyTaken();
    await requireRoom(db, network, now);
  };
  // First without a transaction: whoever is refused must not hold up writers.
  await requireNew(storage.db, clock.now());
  await storage.write(async (tx) => {
    const now = clock.now();
    await removeTokensBefore(tx, now - REMEMBERED);
    await requireNew(tx, now);
    await insertToken(tx, {
      token_hash,
      public_key,
      client_name: shownName(program) || 'A program',
      address,
      network,
      created_time: now,
      expires_time: now + LIFETIME,
      denied: 0,
    });
  });
  return token;
}

/** @throws ApiError 25 */
async function requireRoom(db: Executor, network: string, now: Micros): Promise<void> {
  const pending = await countTokens(db, { network, site: siteLike(network) }, now - REMEMBERED);
  if (hasRoom(pending, WAITING_NEAR)) return;
  throw errors.invalidParameter({ message: 'too many tokens are waiting to be claimed: try again later' });
}

/**
 * The registration waiting under a token. Wrong guesses are delayed increasingly.
 * @throws ApiError 29 if it has expired, 30 if there is none, 84 if it was claimed.
 */
export function findUnclaimed(
  parts: Pick<Parts, 'storage' | 'clock' | 'throttle'>,
  caller: Caller,
  token: string,
): Promise<SignInTokenRow> {
  const { storage, throttle } = parts;
  const attempt = { username: `token of ${caller.guid}`, address: '', device: null };
  return throttle.attempt(attempt, () => unclaimedIn(parts, storage.db, token));
}

async function unclaimedIn({ clock }: Pick<Parts, 'clock'>, db: Executor, token: string) {
  const hash = tokenHash(token);
  const row = await findToken(db, hash);
  // In this order: it may be claimed between the two queries.
  if (!row && (await findSigningKey(db, hash))) throw errors.tokenAlreadyClaimed();
  if (!row || row.denied === 1) throw errors.invalidCredentials({ message: 'This link is not valid.' });
  if (row.expires_time <= clock.now()) throw errors.tokenExpired();
  return row;
}

/**
 * Claims or denies, once. A claimed token is an API key of the person, with a public key instead of a secret.
 * @throws ApiError 24, 29, 30, 50, 84
 */
export async function decideToken(
  parts: Parts,
  caller: Caller,
  token: string,
  decision: 'allowed' | 'denied',
): Promise<SignInTokenRow> {
  const { storage, clock, audit } = parts;
  await findUnclaimed(parts, caller, token);
  return storage.write(async (tx) => {
    // A guess before may have delayed this one.
    await callerNow(tx, caller);
    const row = await unclaimedIn(parts, tx, token);
    const { client_name, public_key, address, token_hash } = row;
    const program = `"${client_name}" (asked from ${address}, key ${fingerprintOf(public_key)})`;
    if (decision === 'denied') {
      await denyToken(tx, token_hash);
      await audit(tx, caller, 'deny_device', `Denied ${program} to act as ${caller.username}`);
      return row;
    }
    if (!(await removeToken(tx, token_hash))) throw errors.tokenAlreadyClaimed();
    await audit(tx, caller, 'allow_device', `Allowed ${program} to act as ${caller.username}`);
    const now = clock.now();
    const name = `${client_name}, ${toTimestamp(now).slice(0, 10)}`;
    const values = { user_guid: caller.guid, name, key_hash: token_hash, created_time: now, public_key };
    const { id } = await insertApiKey(tx, values);
    const made = `Created API key "${name}" (${id}) of user ${caller.guid}, for signed requests`;
    await audit(tx, caller, 'add_api_key', made);
    return row;
  });
}
