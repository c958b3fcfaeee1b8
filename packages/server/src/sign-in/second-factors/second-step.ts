// The step between password and session, for accounts that have a second factor or must have one.
import { ApiError, errors } from '@pressroom/api/contract';
import type { SecurityEvents } from '../../audit/security-events.ts';
import { findUser, type UserRow } from '../../people/store.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { hashSecret } from '../authenticator.ts';
import { beginSession, type SessionParts, type SignedIn } from '../begin-session.ts';
import type { Throttle } from '../throttle.ts';
import { noteFailure, type Visit } from '../visit.ts';
import { addTotp, checkCode, factorsOf, needsSecondFactor } from './commands.ts';
import { checkPasskey } from './passkeys.ts';

interface Parts extends SessionParts {
  readonly events: SecurityEvents;
  readonly secrets: Secrets;
  readonly throttle: Throttle;
}

const LIFETIME = 600_000_000;
const PURPOSE = 'second step';
const WAY = 'password and a second factor';

export interface Step {
  readonly user: UserRow;
  /** `enrol`: the account must set up a second factor first. */
  readonly kind: 'prove' | 'enrol';
  readonly totp: boolean;
  readonly passkeys: boolean;
  /** Proves that the password was right; useless alone. */
  readonly sealed: string;
}

interface Sealed {
  readonly guid: string;
  readonly kind: Step['kind'];
  /** Identifies the password that was used. */
  readonly stamp: string;
  readonly expires: number;
}

/** Null if the password suffices. */
export async function beginStep(
  parts: Pick<Parts, 'config' | 'storage' | 'clock' | 'secrets'>,
  user: UserRow,
): Promise<Step | null> {
  const { secrets, clock } = parts;
  const { totp, passkeys } = await factorsOf(parts, user.guid);
  const has = totp || passkeys.length > 0;
  if (!has && !needsSecondFactor(parts, user)) return null;
  const kind = has ? 'prove' : 'enrol';
  const sealed: Sealed = { guid: user.guid, kind, stamp: stampOf(user), expires: clock.now() + LIFETIME };
  return {
    user,
    kind,
    totp,
    passkeys: passkeys.length > 0,
    sealed: secrets.encrypt(JSON.stringify(sealed), PURPOSE),
  };
}

/** The submitted step with the current account. @throws ApiError 99 if it has expired */
export async function resumeStep(
  parts: Pick<Parts, 'config' | 'storage' | 'clock' | 'secrets'>,
  sealed: string,
): Promise<Step> {
  const over = (cause?: unknown) =>
    errors.reauthenticationRequired({ message: 'Session expired: sign in again', cause });
  let opened: Sealed;
  try {
    opened = parts.secrets.decryptJson<Sealed>(sealed, PURPOSE);
  } catch (cause) {
    throw over(cause);
  }
  const user = await findUser(parts.storage.db, opened.guid);
  if (!user || user.locked === 1 || opened.expires <= parts.clock.now() || opened.stamp !== stampOf(user))
    throw over();
  const step = await beginStep(parts, user);
  if (step?.kind !== opened.kind) throw over();
  return { ...step, sealed };
}

/** With a code of the app, or a recovery code. @throws ApiError 30, 99 */
export function finishWithCode(parts: Parts, step: Step, code: string, visit: Visit): Promise<SignedIn> {
  return finish(parts, step, visit, async () => {
    if (step.kind !== 'prove') throw errors.reauthenticationRequired();
    await checkCode(parts, step.user, code, visit);
  });
}

/** @throws ApiError 30, 99 */
export function finishWithPasskey(
  parts: SessionParts & Pick<Parts, 'events' | 'secrets'>,
  step: Step,
  response: { readonly state: string; readonly response: string },
  base: string,
  visit: Visit,
): Promise<SignedIn> {
  return finish(parts, step, visit, async () => {
    if (step.kind !== 'prove') throw errors.reauthenticationRequired();
    await checkPasskey(parts, step.user, response, base);
  });
}

/** Sets up the required app, and signs in. @throws ApiError 25, 30, 99 */
export async function finishWithNewTotp(
  parts: SessionParts & Pick<Parts, 'events' | 'secrets'>,
  step: Step,
  totp: { readonly sealed: string; readonly code: string },
  visit: Visit,
): Promise<{ signedIn: SignedIn; codes: readonly string[] }> {
  let codes: readonly string[] = [];
  const signedIn = await finish(parts, step, visit, async () => {
    if (step.kind !== 'enrol') throw errors.reauthenticationRequired();
    codes = await addTotp(parts, step.user, null, totp);
  });
  return { signedIn, codes };
}

async function finish(
  parts: SessionParts & Pick<Parts, 'events'>,
  step: Step,
  visit: Visit,
  prove: () => Promise<void>,
): Promise<SignedIn> {
  try {
    await prove();
  } catch (error) {
    if (error instanceof ApiError) await noteFailure(parts, step.user.username, WAY, visit, error);
    throw error;
  }
  return beginSession(parts, step.user, visit, WAY);
}

function stampOf({ password_hash }: UserRow): string {
  return hashSecret(password_hash ?? '');
}
