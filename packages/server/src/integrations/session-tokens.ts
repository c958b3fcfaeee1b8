// The token that an application gets with a visitor's requests, to exchange it for an API key of that visitor. Signed, not
// stored, and the same for half a day: applications keep their clients by it. Another decision about the content makes
// another one, as its keys have ended.
import type { Config } from '../main/config/settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { ContentTable } from '../platform/database/schema.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { visitorRoleOf } from './integrations.ts';

interface Parts {
  readonly config: Config;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'sign' | 'verify'>;
}

/** Whom a token is about. */
export interface TokenSubject {
  /** GUIDs. */
  readonly content: string;
  readonly user: string;
  /** When it was decided that the content may act for its visitors. */
  readonly since: number;
  /** The visitor's session or API key, with which the token ends. */
  readonly from: { readonly session: string } | { readonly key: number };
}

const PURPOSE = 'visitor session';
/** Microseconds after which there is another one, and for which it is valid at least. */
const STEP = 12 * 3600 * 1_000_000;

/** Null for visitors without a session or API key of their own, and for content that may not act for its visitors. */
export function sessionTokenFor(
  { config, clock, secrets }: Parts,
  content: Pick<ContentTable, 'guid' | 'visitor_role' | 'visitor_role_time'>,
  caller: Caller | null,
): string | null {
  if (visitorRoleOf(config, content) === null) return null;
  if (!caller || caller.content_guid !== null || caller.visits !== undefined) return null;
  const { session, keyId, guid: user } = caller;
  const from = session === undefined ? { key: keyId! } : { session };
  const expires = (Math.floor(clock.now() / STEP) + 2) * STEP;
  const since = content.visitor_role_time ?? 0;
  const subject: TokenSubject = { content: content.guid, user, since, from };
  return secrets.sign(subject, PURPOSE, expires);
}

/** Null if it is forged or has expired. */
export function readSessionToken(
  { secrets, clock }: Omit<Parts, 'config'>,
  token: string,
): TokenSubject | null {
  return secrets.verify<TokenSubject>(token, PURPOSE, clock.now());
}
