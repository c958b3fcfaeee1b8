// A visitor before sign-in; and audit entries about failures.
import type { ApiError } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import type { Actor } from '../audit/record.ts';
import type { SecurityEvents } from '../audit/security-events.ts';
import type { UserRow } from '../people/store.ts';
import { isUsername } from '../people/username.ts';
import type { Micros } from '../platform/database/schema.ts';
import { messageOf } from '../platform/errors.ts';
import { shownName } from './device/present.ts';

interface Parts {
  readonly log: Logger;
  readonly events: SecurityEvents;
}

export interface Visit {
  /** Address of the visitor. */
  readonly address: string;
  /** User agent. */
  readonly agent: string;
  /** The visitor's current session, which a new one replaces. */
  readonly previous: string | null;
  /** When the browser left for the provider: its other tabs may have started sessions since. */
  readonly since?: Micros;
  /** Cookie of a browser that has signed in before. */
  readonly device: string | null;
}

const NOBODY: Actor = { guid: '0', username: 'nobody', full_name: 'Not signed in' };
/** Failures of the same kind and place per minute that are logged individually. */
const EACH = 20;

export function actorOf({
  guid,
  username,
  first_name,
  last_name,
}: UserRow): Pick<Actor, 'guid' | 'username' | 'full_name'> {
  return { guid, username, full_name: `${first_name} ${last_name}`.trim() };
}

/** Untrusted: in one line, shortened. */
export function shownAgent(agent: string): string {
  return shownName(agent) || 'a program without a name';
}

/** A typed username for the log: anything that cannot be one may be a password in the wrong field. */
function shownUsername(username: string): string {
  return isUsername(username) ? `"${username}"` : 'a name that is not permitted';
}

/**
 * Logs a failed sign-in in the audit log, and with its cause, which visitors must not see, in the log. Never the
 * password.
 * @param way of signing in, in words
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
