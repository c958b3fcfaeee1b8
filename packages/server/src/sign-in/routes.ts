// Passwords, API keys, sessions and device sign-in of accounts.
import { errors } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import type { Audit } from '../audit/record.ts';
import { SESSION_COOKIE } from '../http/cookie-names.ts';
import { DASHBOARD_PREFIX } from '../http/paths.ts';
import { readCookie } from '../http/read-cookie.ts';
import { isCrossOrigin } from '../http/request-forgery.ts';
import type { ApiResponse, ApiRequest } from '../http/request.ts';
import type { Config } from '../main/config/settings.ts';
import { type Clock, type Ids, toTimestamp } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Mailer } from '../platform/mailer.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import {
  createApiKey as createApiKeyCommand,
  type NewKey,
  requireKeyRights,
  revokeApiKey,
} from './api-keys.ts';
import { type Authenticator, hashSecret } from './authenticator.ts';
import { bootstrapAdministrator } from './bootstrap.ts';
import { beginDeviceSignIn as beginCommand, pollDeviceSignIn as pollCommand } from './device/commands.ts';
import { presentDeviceCode } from './device/present.ts';
import {
  changePassword as changeCommand,
  createPasswordLink as createCommand,
  requestPasswordReset as requestCommand,
  setPasswordByLink,
} from './passwords/commands.ts';
import type { Passwords } from './passwords/passwords.ts';
import { presentApiKey } from './present.ts';
import type { SignInProvider } from './providers/provider.ts';
import { removeSecondFactors as removeCommand } from './second-factors/commands.ts';
import { endSession as endCommand, sessionId, sessionsOf } from './sessions.ts';
import { listApiKeys } from './store.ts';
import type { Throttle } from './throttle.ts';
import { registerToken } from './tokens/commands.ts';
import { visitOf } from './visit-of.ts';

interface Parts {
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
  readonly throttle: Throttle;
  readonly mailer: Mailer | null;
}

export const signInRoutes = {
  beginDeviceSignIn,
  bootstrap,
  changePassword,
  createApiKey,
  createOwnApiKey,
  createPasswordLink,
  createToken,
  deleteApiKey,
  endSession,
  getApiKeys,
  getSessions,
  pollDeviceSignIn,
  removeSecondFactors,
  requestPasswordReset,
  resetPassword,
};

/** Creates the first administrator with a key, for a program with the token of the set-up link. */
async function bootstrap(
  parts: Pick<Parts, 'config' | 'storage' | 'clock' | 'ids' | 'audit' | 'secrets'>,
  { raw }: ApiRequest<'bootstrap'>,
): Promise<ApiResponse<'bootstrap'>> {
  return { api_key: await bootstrapAdministrator(parts, raw.headers.authorization) };
}

async function beginDeviceSignIn(
  parts: Pick<Parts, 'storage' | 'clock' | 'ids' | 'secrets'>,
  { body, base, visitor, raw }: ApiRequest<'beginDeviceSignIn'>,
): Promise<ApiResponse<'beginDeviceSignIn'>> {
  // Pages of other sites could exhaust the limit of a network.
  if (isCrossOrigin(raw.headers, new URL(base).origin)) throw errors.xsrfTokenMismatch();
  return presentDeviceCode(await beginCommand(parts, body.client_name, visitor), base);
}

/** Changes the caller's password. */
function changePassword(
  parts: Pick<
    Parts,
    | 'config'
    | 'storage'
    | 'clock'
    | 'audit'
    | 'authenticator'
    | 'passwords'
    | 'secrets'
    | 'provider'
    | 'throttle'
  >,
  { body, caller, raw, visitor }: ApiRequest<'changePassword'>,
): Promise<ApiResponse<'changePassword'>> {
  const passwords = { current: body.current_password, next: body.password };
  const kept = hashSecret(readCookie(raw.headers.cookie, SESSION_COOKIE) ?? '');
  return changeCommand(parts, caller, passwords, visitOf(parts, raw.headers, visitor), kept);
}

async function createApiKey(
  parts: Pick<Parts, 'storage' | 'clock' | 'ids' | 'audit'>,
  { params, body, caller }: ApiRequest<'createApiKey'>,
): Promise<ApiResponse<'createApiKey'>> {
  const { row, key } = await createApiKeyCommand(parts, caller, params.guid, newKeyOf(body));
  return { ...presentApiKey(row), key };
}

async function createOwnApiKey(
  parts: Pick<Parts, 'storage' | 'clock' | 'ids' | 'audit'>,
  { body, caller }: ApiRequest<'createOwnApiKey'>,
): Promise<ApiResponse<'createOwnApiKey'>> {
  const { row, key } = await createApiKeyCommand(parts, caller, caller.guid, newKeyOf(body));
  return { ...presentApiKey(row), key };
}

function newKeyOf({ name, role, expires_time }: ApiRequest<'createApiKey'>['body']): NewKey {
  const expires = typeof expires_time === 'string' ? Date.parse(expires_time) * 1000 : null;
  return { name, role: role ?? null, expires };
}

async function createPasswordLink(
  parts: Pick<Parts, 'storage' | 'clock' | 'ids' | 'audit' | 'provider'>,
  { params, caller, base }: ApiRequest<'createPasswordLink'>,
): Promise<ApiResponse<'createPasswordLink'>> {
  const { url, expires } = await createCommand(parts, caller, params.guid, base);
  return { url, expires_time: toTimestamp(expires) };
}

/** Registers the public key of a program, to be claimed by a person. */
async function createToken(
  parts: Pick<Parts, 'storage' | 'clock'>,
  { body, base, visitor, raw }: ApiRequest<'createToken'>,
): Promise<ApiResponse<'createToken'>> {
  // Pages of other sites could exhaust the limit of a network.
  if (isCrossOrigin(raw.headers, new URL(base).origin)) throw errors.xsrfTokenMismatch();
  const token = await registerToken(parts, body, raw.headers['user-agent'] ?? '', visitor);
  return { token_claim_url: `${base}${DASHBOARD_PREFIX}/token?token=${token}` };
}

function deleteApiKey(
  parts: Pick<Parts, 'storage' | 'clock' | 'audit' | 'authenticator'>,
  { params, caller }: ApiRequest<'deleteApiKey'>,
): Promise<ApiResponse<'deleteApiKey'>> {
  return revokeApiKey(parts, caller, params.guid, params.id);
}

function endSession(
  parts: Pick<Parts, 'storage' | 'clock' | 'audit' | 'authenticator'>,
  { params, caller }: ApiRequest<'endSession'>,
): Promise<ApiResponse<'endSession'>> {
  return endCommand(parts, caller, params.guid, params.id);
}

/** Lists the API keys of a user, without the keys themselves. */
async function getApiKeys(
  parts: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getApiKeys'>,
): Promise<ApiResponse<'getApiKeys'>> {
  await requireKeyRights(parts, caller, params.guid);
  return (await listApiKeys(parts.storage.db, params.guid)).map(presentApiKey);
}

async function getSessions(
  parts: Pick<Parts, 'storage' | 'clock'>,
  { params, caller, raw }: ApiRequest<'getSessions'>,
): Promise<ApiResponse<'getSessions'>> {
  const own = hashSecret(readCookie(raw.headers.cookie, SESSION_COOKIE) ?? '');
  const rows = await sessionsOf(parts, caller, params.guid);
  return rows.map((row) => ({
    id: sessionId(row),
    user_guid: row.user_guid,
    created_time: toTimestamp(row.created_time),
    active_time: toTimestamp(row.active_time),
    expires_time: toTimestamp(row.expires_time),
    address: row.address,
    agent: row.agent,
    current: caller.by === 'session' && row.token_hash === own,
  }));
}

/** Returns the key of a device sign-in, once approved. */
async function pollDeviceSignIn(
  parts: Pick<Parts, 'storage' | 'clock' | 'ids' | 'audit'>,
  { body }: ApiRequest<'pollDeviceSignIn'>,
): Promise<ApiResponse<'pollDeviceSignIn'>> {
  const { row, key } = await pollCommand(parts, body.device_code);
  return { ...presentApiKey(row), key };
}

function removeSecondFactors(
  parts: Pick<Parts, 'storage' | 'audit' | 'authenticator'>,
  { params, caller }: ApiRequest<'removeSecondFactors'>,
): Promise<ApiResponse<'removeSecondFactors'>> {
  return removeCommand(parts, caller, params.guid);
}

/** Requests a mail with a password link. */
async function requestPasswordReset(
  parts: Pick<
    Parts,
    'config' | 'storage' | 'clock' | 'ids' | 'log' | 'audit' | 'secrets' | 'provider' | 'throttle' | 'mailer'
  >,
  { body, base, raw, visitor }: ApiRequest<'requestPasswordReset'>,
): Promise<ApiResponse<'requestPasswordReset'>> {
  if (isCrossOrigin(raw.headers, new URL(base).origin)) throw errors.xsrfTokenMismatch();
  await requestCommand(parts, body.username, base, visitOf(parts, raw.headers, visitor));
}

/** Sets a password with the token of a link. */
async function resetPassword(
  parts: Pick<
    Parts,
    'config' | 'storage' | 'clock' | 'audit' | 'authenticator' | 'passwords' | 'secrets' | 'provider'
  >,
  { body, base, raw, visitor }: ApiRequest<'resetPassword'>,
): Promise<ApiResponse<'resetPassword'>> {
  if (isCrossOrigin(raw.headers, new URL(base).origin)) throw errors.xsrfTokenMismatch();
  await setPasswordByLink(parts, body.token, body.password, visitOf(parts, raw.headers, visitor));
}
