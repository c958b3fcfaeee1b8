// How recently a visitor has signed in.
import type { Clock } from '../platform/clock.ts';
import type { Micros } from '../platform/database/schema.ts';
import type { Storage } from '../platform/database/storage.ts';
import { hashSecret } from './authenticator.ts';
import { findSession } from './store.ts';
import type { Visit } from './visit.ts';

/** Microseconds after sign-in. */
const FRESH = 10 * 60_000_000;

/** Whether the visitor has just signed in, for actions that an unattended browser must not allow. */
export function isFresh(
  parts: { readonly storage: Storage; readonly clock: Clock },
  visit: Visit,
): Promise<boolean> {
  return hasSessionSince(parts, visit, parts.clock.now() - FRESH);
}

export async function hasSessionSince(
  { storage }: { readonly storage: Storage },
  { previous }: Visit,
  since: Micros,
): Promise<boolean> {
  if (previous === null) return false;
  const session = await findSession(storage.db, hashSecret(previous));
  return session !== undefined && session.created_time >= since;
}
