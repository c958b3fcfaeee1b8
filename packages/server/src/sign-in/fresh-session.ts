// Whether a person has just signed in, for actions that an unattended browser must not allow.
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import { hashSecret } from './authenticator.ts';
import { findSession } from './store.ts';
import type { Visit } from './visit.ts';

/** Microseconds after sign-in. */
const FRESH = 10 * 60_000_000;

export async function isFresh(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  { previous }: Visit,
): Promise<boolean> {
  if (previous === null) return false;
  const session = await findSession(storage.db, hashSecret(previous));
  return session !== undefined && session.created_time > clock.now() - FRESH;
}
