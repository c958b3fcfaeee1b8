// Creates the first administrator by the link printed at the start: whoever can read the server's output controls the
// server.
import { errors } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import type { Audit } from '../audit/record.ts';
import type { Config } from '../main/config/settings.ts';
import { createUser } from '../people/commands.ts';
import { countUsers, type UserRow } from '../people/store.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Mailer } from '../platform/mailer.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { checkChosenPassword } from './passwords/password-policy.ts';
import type { Passwords } from './passwords/passwords.ts';
import type { SignInProvider } from './providers/provider.ts';
import { isSameSecret } from './same-secret.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly audit: Audit;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly provider: SignInProvider;
  readonly mailer: Mailer | null;
}

export const SET_UP_PATH = '/__setup__';

/** Stable over restarts, so that a printed link keeps working; useless once there is an account. */
export function setUpToken({ secrets }: Pick<Parts, 'secrets'>): string {
  return secrets.derive('set-up link');
}

/** Null once there is an account, or if the provider decides who is first. @param base without a trailing slash. */
export async function setUpLink(
  parts: Pick<Parts, 'storage' | 'secrets' | 'provider'>,
  base: string,
): Promise<string | null> {
  const { provider, storage } = parts;
  if (provider.kind !== 'password' || (await countUsers(storage.db, 'all')) > 0) return null;
  return `${base}${SET_UP_PATH}?token=${setUpToken(parts)}`;
}

/** @throws ApiError 24 for a link that is forged or used. */
export async function requireSetUpToken(
  parts: Pick<Parts, 'storage' | 'secrets' | 'provider'>,
  token: string,
): Promise<void> {
  if (!isSameSecret(token, setUpToken(parts)) || (await setUpLink(parts, '')) === null) {
    throw errors.authenticationRequired({
      message: 'this link has expired: the server already has an administrator',
    });
  }
}

export interface FirstAdministrator {
  readonly username: string;
  readonly email: string;
  readonly password: string;
}

/** @throws ApiError 6, 7, 24, 128 */
export async function setUp(
  parts: Parts,
  token: string,
  account: FirstAdministrator,
  base: string,
): Promise<UserRow> {
  await requireSetUpToken(parts, token);
  const { username, email, password } = account;
  await checkChosenPassword(parts.config, password, [username, email]);
  return createUser(parts, null, { username, email, password }, base);
}
