// Who knocks, as far as it can be known before anybody is signed in; and what the audit log says of it.
import type { ApiError } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import type { Actor } from '../audit/record.ts';
import type { SecurityEvents } from '../audit/security-events.ts';
import { isUsername } from '../people/policy.ts';
import type { UserRow } from '../people/store.ts';
import type { Micros } from '../platform/database/schema.ts';
import { messageOf } from '../platform/errors.ts';
import { shownName } from './device/present.ts';

interface Parts {
  readonly log: Logger;
  readonly events: SecurityEvents;
}

export interface Visit {
  /** Where the visitor is. */
  readonly address: string;
  /** What the visitor's program calls itself. */
  readonly agent: string;
  /** The session that the visitor has had: the new one takes its place. */
  readonly previous: string | null;
  /** When the browser went to the provider: its other tabs may have got sessions since. */
  readonly since?: Micros;
  /** What a browser keeps that somebody signed in with before. */
  readonly device: string | null;
}

const NOBODY: Actor = { guid: '0', username: 'nobody', full_name: 'Not signed in' };
/** Failures of the same kind from the same place within a minute that are written down one by one. */
const EACH = 20;

export function actorOf({ guid, username, first_name, last_name }: UserRow): Actor {
  return { guid, username, full_name: `${first_name} ${last_name}`.trim() };
}

/** In one line, short: it comes from whoever asks. */
export function shownAgent(agent: string): string {
  return shownName(agent) || 'a program without a name';
}

/**
 * A name that was typed, as it may be written down: what cannot be a name may be a password in the wrong field.
 */
function shownUsername(username: string): string {
  return isUsername(username) ? `"${username}"` : 'a name that is not permitted';
}

/**
 * A sign-in that failed: in the audit log, and in the log, which also has the cause: it may say more than a stranger
 * should know. Never the password.
 * @param way how somebody signs in, in words
 */
export async function noteFailure(
  { events, log }: Parts,
  username: string | null,
  way: string,
  { address, agent }: Visit,
  { code, cause }: ApiError,
): Promise<void> {
  const who = username === null ? 'somebody' : shownUsername(username);
  const why = cause === undefined ? {} : { why: messageOf(cause) };
  log[cause === undefined ? 'info' : 'warn']({ who, way, address, code, ...why }, 'sign-in failed');
  const description = `${who} could not sign in by ${way} from ${address || 'an unknown address'} with ${shownAgent(agent)}: code ${code}`;
  await events.record({ actor: NOBODY, action: 'sign_in_failed', description, each: EACH });
}
