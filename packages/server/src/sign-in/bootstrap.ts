// Creates the first administrator for a program: the token is signed with the secret of the set-up link, which it could
// as well open.
import { errors } from '@pressroom/api/contract';
import { jwtVerify } from 'jose';
import { type Audit, SYSTEM } from '../audit/record.ts';
import type { Config } from '../main/config/settings.ts';
import { insertAccountRow } from '../people/commands.ts';
import { countUsers } from '../people/store.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { mintApiKey } from './api-keys.ts';
import { setUpToken } from './set-up.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: Audit;
  readonly secrets: Secrets;
}

const USERNAME = 'bootstrap_admin';
/** Maximum lifetime of a token in seconds. */
const MAX_LIFE_SECONDS = 15 * 60;
/** Seconds by which clocks may differ. */
const LEEWAY = 60;

/**
 * The account has no password: its key creates accounts for people, or a password link. Returns the key.
 * @throws ApiError 22 if there is an account, 24 for a token that was not signed with this server's set-up token
 */
export async function bootstrapAdministrator(
  parts: Parts,
  authorization: string | undefined,
): Promise<string> {
  const { storage, secrets, clock } = parts;
  const token = /^Connect-Bootstrap +(\S+)$/i.exec(authorization ?? '')?.[1];
  const now = new Date(clock.now() / 1000);
  if (token === undefined || !(await isGenuine(token, setUpToken({ secrets }), now)))
    throw errors.authenticationRequired({
      message: 'the bootstrap token is not signed with the token of the set-up link, or has expired',
    });
  return storage.write(async (tx) => {
    if ((await countUsers(tx, 'all')) > 0)
      throw errors.operationDenied({ message: 'the server already has an administrator' });
    const user = await insertAccountRow(parts, tx, SYSTEM, {
      username: USERNAME,
      email: '',
      first_name: '',
      last_name: '',
      user_role: 'administrator',
      password_hash: null,
      must_set_password: 0,
      confirmed: 1,
      unique_id: null,
    });
    const { key } = await mintApiKey(parts, tx, SYSTEM, user.guid, { name: 'bootstrap' });
    return key;
  });
}

/** The algorithm, audience, scope and lifetime of every client's token. */
async function isGenuine(token: string, secret: string, now: Date): Promise<boolean> {
  try {
    const { payload } = await jwtVerify(token, new TextEncoder().encode(secret), {
      algorithms: ['HS256'],
      audience: 'rsconnect',
      requiredClaims: ['exp'],
      currentDate: now,
      clockTolerance: LEEWAY,
      // Refuses tokens without a time of issue, or one in the future.
      maxTokenAge: MAX_LIFE_SECONDS,
    });
    return payload['scope'] === 'bootstrap' && payload.exp! - payload.iat! <= MAX_LIFE_SECONDS;
  } catch {
    return false;
  }
}
