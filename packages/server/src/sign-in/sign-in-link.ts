// A link that signs a user in once: for whoever started the server, who can read its data anyway. Never mailed.
import { errors } from '@pressroom/api/contract';
import { findUser, findUserByName, type UserRow } from '../people/store.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { spend } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
}

interface Claim {
  readonly id: string;
  readonly user: string;
  /** Microseconds. */
  readonly expires: number;
}

export const SIGN_IN_LINK_PATH = '/__login__/link';
const PURPOSE = 'sign-in link';
/** Microseconds: an hour. */
const LIFETIME = 3_600_000_000;

/** Null for an unknown user. @param base without a trailing slash */
export async function signInLink(
  { storage, clock, ids, secrets }: Parts,
  username: string,
  base: string,
): Promise<string | null> {
  const user = await findUserByName(storage.db, username);
  if (!user) return null;
  const expires = clock.now() + LIFETIME;
  const claim: Claim = { id: ids.secret(), user: user.guid, expires };
  const token = secrets.sign(claim, PURPOSE, expires);
  return `${base}${SIGN_IN_LINK_PATH}?token=${encodeURIComponent(token)}`;
}

/** The user of the link, once. @throws ApiError 24 for a link that is forged, used or expired; 50 */
export async function useSignInLink(
  { storage, clock, secrets }: Omit<Parts, 'ids'>,
  token: string,
): Promise<UserRow> {
  const now = clock.now();
  const claim = secrets.verify<Claim>(token, PURPOSE, now);
  const fresh =
    claim !== null &&
    (await storage.write((tx) => spend(tx, `sign-in link ${claim.id}`, now, claim.expires)));
  const user = fresh ? await findUser(storage.db, claim.user) : undefined;
  if (!user)
    throw errors.authenticationRequired({
      message: 'This link was used, or has expired: sign in another way.',
    });
  if (user.locked) throw errors.userLocked();
  return user;
}
