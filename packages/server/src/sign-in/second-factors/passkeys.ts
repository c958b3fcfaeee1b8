// Passkeys (WebAuthn): registered by signed-in people, and used to sign in, alone or after the password.
import { type ApiError, errors } from '@pressroom/api/contract';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { Audit } from '../../audit/record.ts';
import { callerNow } from '../../people/caller-now.ts';
import { findUser, type UserRow } from '../../people/store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Micros } from '../../platform/database/schema.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { hashSecret, type Caller } from '../authenticator.ts';
import { shownName } from '../device/present.ts';
import { spend } from '../store.ts';
import {
  findPasskey,
  findTotp,
  insertPasskey,
  listPasskeys,
  removePasskey as removeRow,
  setRecoveryCodes,
  usePasskey,
  type PasskeyRow,
} from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly secrets: Secrets;
}

/** Microseconds to answer the browser's prompt; people may need to find their phone. */
const LIFETIME = 600_000_000;
const PURPOSE = 'passkey';
const MAX_PASSKEYS = 20;
const ALGORITHMS = [-7, -257, -8];

/** Options for the browser as JSON, and state to send back with the response. */
export interface Question {
  readonly options: string;
  readonly state: string;
}

interface State {
  readonly challenge: string;
  /** The required owner; null for anybody. */
  readonly guid: string | null;
  readonly kind: 'register' | 'sign-in';
  readonly expires: number;
}

/**
 * Browsers support passkeys for host names only, over https or on this machine. @param base of the server, as visitors
 * see it
 */
export function mayHavePasskeys(base: string): boolean {
  const { hostname, protocol } = new URL(base);
  const local = hostname === 'localhost' || hostname.endsWith('.localhost');
  return (protocol === 'https:' || local) && !/^[\d.]+$|:/.test(hostname);
}

export async function askToRegister(
  parts: Pick<Parts, 'storage' | 'clock' | 'secrets'>,
  caller: Caller,
  base: string,
): Promise<Question> {
  const known = await listPasskeys(parts.storage.db, caller.guid);
  const options = await generateRegistrationOptions({
    rpName: 'Pressroom',
    rpID: new URL(base).hostname,
    userName: caller.username,
    userDisplayName: caller.full_name || caller.username,
    userID: new TextEncoder().encode(caller.guid),
    attestationType: 'none',
    excludeCredentials: known.map(descriptor),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
  return question(parts, options, { guid: caller.guid, kind: 'register' });
}

/** @param user null for anybody with a passkey for this server. After a password, user presence suffices. */
export async function askForPasskey(
  parts: Pick<Parts, 'storage' | 'clock' | 'secrets'>,
  user: UserRow | null,
  base: string,
): Promise<Question> {
  const known = user === null ? [] : await listPasskeys(parts.storage.db, user.guid);
  const options = await generateAuthenticationOptions({
    rpID: new URL(base).hostname,
    allowCredentials: known.map(descriptor),
    userVerification: user === null ? 'required' : 'preferred',
  });
  return question(parts, options, { guid: user?.guid ?? null, kind: 'sign-in' });
}

/** @param response the browser's response as JSON. @throws ApiError 25, 26, 30 */
export async function addPasskey(
  parts: Parts,
  caller: Caller,
  { state, response: sent, name }: { state: string; response: string; name: string },
  base: string,
): Promise<void> {
  const { storage, clock, audit } = parts;
  const opened = openState(parts, state, 'register');
  if (opened.guid !== caller.guid) throw errors.invalidCredentials();
  const result = await verifyRegistrationResponse({
    response: parse<RegistrationResponseJSON>(sent),
    expectedChallenge: opened.challenge,
    expectedOrigin: new URL(base).origin,
    expectedRPID: new URL(base).hostname,
    requireUserVerification: false,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(refuse);
  if (!result.verified) throw refusal();
  const { credential } = result.registrationInfo;
  const shown = shownName(name) || 'Passkey';
  await storage.write(async (tx) => {
    await callerNow(tx, caller);
    await spendChallenge(tx, opened, clock.now());
    if ((await listPasskeys(tx, caller.guid)).length >= MAX_PASSKEYS) {
      throw errors.invalidParameter({ message: `an account has at most ${MAX_PASSKEYS} passkeys` });
    }
    if (await findPasskey(tx, credential.id))
      throw errors.nameTaken({ message: 'this passkey is already registered' });
    await insertPasskey(tx, {
      id: credential.id,
      user_guid: caller.guid,
      name: shown,
      public_key: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: (credential.transports ?? []).join(','),
      created_time: clock.now(),
      last_used_time: null,
    });
    await audit(
      tx,
      caller,
      'add_second_factor',
      `Added passkey "${shown}" to user ${caller.username} (${caller.guid})`,
    );
  });
}

/**
 * The owner of the passkey that answered. @param user required owner, after a password; null for anybody with user
 * verification
 * @throws ApiError 30
 */
export async function checkPasskey(
  parts: Pick<Parts, 'storage' | 'clock' | 'secrets'>,
  user: UserRow | null,
  { state, response: sent }: { state: string; response: string },
  base: string,
): Promise<UserRow> {
  const { storage, clock } = parts;
  const opened = openState(parts, state, 'sign-in');
  if (opened.guid !== (user?.guid ?? null)) throw refusal();
  const response = parse<AuthenticationResponseJSON>(sent);
  const passkey = await findPasskey(storage.db, String(response.id));
  if (!passkey || (user !== null && passkey.user_guid !== user.guid)) throw refusal();
  const result = await verifyAuthenticationResponse({
    response,
    expectedChallenge: opened.challenge,
    expectedOrigin: new URL(base).origin,
    expectedRPID: new URL(base).hostname,
    requireUserVerification: user === null,
    credential: {
      id: passkey.id,
      publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')),
      counter: passkey.counter,
    },
  }).catch(refuse);
  if (!result.verified) throw refusal();
  const { newCounter } = result.authenticationInfo;
  // Only now: anybody can get a challenge, and would otherwise cause writes.
  const owner = await storage.write(async (tx) => {
    const now = clock.now();
    await spendChallenge(tx, opened, now);
    const isKept = await usePasskey(tx, passkey.id, newCounter, now);
    return isKept ? findUser(tx, passkey.user_guid) : undefined;
  });
  if (!owner) throw refusal();
  return owner;
}

/** @throws ApiError 17 */
export async function removePasskey(
  { storage, audit }: Pick<Parts, 'storage' | 'audit'>,
  caller: Caller,
  id: string,
): Promise<void> {
  await storage.write(async (tx) => {
    await callerNow(tx, caller);
    const row = await removeRow(tx, caller.guid, id);
    if (!row) throw errors.itemToRemoveNotFound();
    const left = (await listPasskeys(tx, caller.guid)).length > 0 || (await findTotp(tx, caller.guid));
    if (!left) await setRecoveryCodes(tx, caller.guid, []);
    await audit(
      tx,
      caller,
      'remove_second_factor',
      `Removed passkey "${row.name}" of user ${caller.username} (${caller.guid})`,
    );
  });
}

function question(
  { secrets, clock }: Pick<Parts, 'clock' | 'secrets'>,
  options: { readonly challenge: string },
  rest: Pick<State, 'guid' | 'kind'>,
): Question {
  const state: State = { challenge: options.challenge, ...rest, expires: clock.now() + LIFETIME };
  return { options: JSON.stringify(options), state: secrets.encrypt(JSON.stringify(state), PURPOSE) };
}

/** @throws ApiError 30 */
function openState(
  { secrets, clock }: Pick<Parts, 'clock' | 'secrets'>,
  sealed: string,
  kind: State['kind'],
): State {
  let state: State;
  try {
    state = secrets.decryptJson<State>(sealed, PURPOSE);
  } catch (cause) {
    throw refusal(cause);
  }
  if (state.kind !== kind || state.expires <= clock.now()) throw refusal();
  return state;
}

/** Each challenge is accepted once. @throws ApiError 30 */
async function spendChallenge(tx: Executor, { challenge, expires }: State, now: Micros): Promise<void> {
  if (!(await spend(tx, hashSecret(`passkey ${challenge}`), now, expires))) throw refusal();
}

function descriptor({ id, transports }: PasskeyRow) {
  const known = transports === '' ? [] : (transports.split(',') as AuthenticatorTransport[]);
  return { id, transports: known };
}

type AuthenticatorTransport = NonNullable<RegistrationResponseJSON['response']['transports']>[number];

function parse<T extends { readonly id: string }>(response: string): T {
  try {
    const value = JSON.parse(response) as T;
    if (typeof value === 'object' && value !== null && typeof value.id === 'string') return value;
  } catch {
    // Reported below, like JSON that is no response.
  }
  throw refusal();
}

function refuse(cause: unknown): never {
  throw refusal(cause);
}

function refusal(cause?: unknown): ApiError {
  return errors.invalidCredentials({ message: 'the passkey was not accepted: try again', cause });
}
