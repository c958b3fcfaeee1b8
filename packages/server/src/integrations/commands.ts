// Visitor API keys: which content items may get them, and the exchange of a visitor's token for one (ADR 33).
import { errors, type ServerRole } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import { requireRight } from '../content/commands.ts';
import { findContent, type ContentRow } from '../content/store.ts';
import type { Config } from '../main/config/settings.ts';
import { lowerRole } from '../people/roles.ts';
import { findUser, type UserRow } from '../people/store.ts';
import { type Clock, toTimestamp } from '../platform/clock.ts';
import type { Micros } from '../platform/database/schema.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { type Authenticator, type Caller, hashSecret } from '../sign-in/authenticator.ts';
import { findApiKey, findSession } from '../sign-in/store.ts';
import { findIntegration, roleOf, visitorRoleOf } from './integrations.ts';
import { readSessionToken, type TokenSubject } from './session-tokens.ts';
import {
  findKeyById,
  insertVisitorKey,
  removeExpiredVisitorKeys,
  removeVisitorKeys,
  setVisitorRole,
  type VisitorRole,
} from './store.ts';

export interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly secrets: Secrets;
  readonly authenticator: Authenticator;
  readonly contentChanged: (guid: string) => void;
}

const MICROS = 1_000_000;
/** Microseconds after which a visitor gets another key, and those for which each one is valid at most. */
const STEP = 3600 * MICROS;
const LIFETIME = 3 * STEP;

/** @param guids of integrations, at most one. @throws ApiError 4 for unknown content, 25 for an unknown integration */
export async function setIntegrations(
  parts: Omit<Parts, 'secrets'>,
  caller: Caller,
  contentGuid: string,
  guids: readonly string[],
): Promise<void> {
  const { config, storage, clock, audit, authenticator, contentChanged } = parts;
  const [wanted] = guids.map((guid) => roleOfGuid(config, guid));
  const role = wanted ?? null;
  const ended = await storage.write(async (tx) => {
    const content = await findContent(tx, contentGuid);
    if (!content) throw errors.notFound();
    if (content.visitor_role === role) return [];
    await setVisitorRole(tx, content.guid, { visitor_role: role, visitor_role_time: clock.now() });
    const what =
      role === null ? 'must not act for its visitors any more' : `may act for its visitors, as a ${role}`;
    await audit(tx, caller, 'edit_application', `Content ${content.name} (${content.guid}) ${what}`, {
      content: content.guid,
    });
    return removeVisitorKeys(tx, content.guid);
  });
  for (const user of ended) authenticator.forget(user);
  contentChanged(contentGuid);
}

/** @throws ApiError 25 */
function roleOfGuid(config: Config, guid: string): VisitorRole {
  const found = findIntegration(config, guid);
  if (found) return roleOf(found);
  throw errors.invalidParameter({
    field: 'oauth_integration_guid',
    message: 'the server has no OAuth integration with this GUID (Applications.VisitorKeys)',
  });
}

export interface VisitorKey {
  readonly key: string;
  readonly expires: Micros;
}

/**
 * The key of a visitor, for who may deploy the content: as a rule its own key.
 * @param audience GUID of an integration; null for the one of the content
 * @throws ApiError 22 for content that must not act for its visitors, or a caller that must not deploy it, 25 for a token
 * that is not valid or whose session has ended, 50 for a locked visitor
 */
export async function exchangeToken(
  parts: Omit<Parts, 'authenticator' | 'contentChanged'>,
  caller: Caller,
  token: string,
  audience: string | null,
): Promise<VisitorKey> {
  const { storage, clock, audit } = parts;
  const subject = readSessionToken(parts, token);
  if (!subject) throw notValid();
  const ask = (db: Executor) => keyOf(parts, db, caller, subject, audience);
  // As a rule it is there: applications ask with each request of a visitor.
  const known = await ask(storage.db);
  if (await findApiKey(storage.db, hashSecret(known.key))) return known;
  return storage.write(async (tx) => {
    const { key, expires, row, content } = await ask(tx);
    const now = clock.now();
    await removeExpiredVisitorKeys(tx, content.guid, now);
    const isNew = await insertVisitorKey(tx, { ...row, key_hash: hashSecret(key), created_time: now });
    if (isNew) {
      const what = `Created API key "${row.name}" of user ${row.user_guid}, for what a ${row.role} may do`;
      const about = { content: content.guid };
      await audit(tx, caller, 'add_api_key', `${what}, until ${toTimestamp(expires)}`, about);
    }
    return { key, expires };
  });
}

async function keyOf(
  { config, clock, secrets }: Pick<Parts, 'config' | 'clock' | 'secrets'>,
  db: Executor,
  caller: Caller,
  subject: TokenSubject,
  audience: string | null,
) {
  const content = await findContent(db, subject.content);
  await requireDeployer(db, caller, content);
  const role = content ? visitorRoleOf(config, content) : null;
  if (!content || role === null || (audience !== null && roleOfGuid(config, audience) !== role))
    throw errors.operationDenied({ message: 'this content item must not act for its visitors' });
  const now = clock.now();
  const visitor = await visitorIn(db, config, subject, now);
  if (!visitor || content.visitor_role_time !== subject.since) throw notValid();
  const { user, source, most, ends } = visitor;
  const step = Math.floor(now / STEP);
  const expires = Math.min(step * STEP + LIFETIME, ends);
  const row = {
    user_guid: user.guid,
    name: `visits of ${content.name}`,
    role: most === null ? role : lowerRole(role, most),
    expires_time: expires,
    visited_guid: content.guid,
    ...source,
  };
  // One for all processes of the item: a key that is not stored can be told again only if it is derived.
  const key = secrets.derive(`visitor key ${JSON.stringify([subject, role, step])}`);
  return { key, expires, row, content };
}

/** @throws ApiError 22 */
async function requireDeployer(tx: Executor, caller: Caller, content: ContentRow | undefined): Promise<void> {
  const isOwn = caller.content_guid === null || caller.content_guid === content?.guid;
  if (isOwn && content) return void (await requireRight(tx, content, caller, 'uploadBundle'));
  throw errors.operationDenied({ message: 'the token is for another content item' });
}

interface Visitor {
  readonly user: UserRow;
  readonly source: { readonly session_hash: string } | { readonly parent_id: number };
  /** Maximum role; null for the visitor's own. */
  readonly most: ServerRole | null;
  readonly ends: Micros;
}

/** Null if the session or key has ended. @throws ApiError 50 */
async function visitorIn(
  tx: Executor,
  { 'Authentication.SessionIdleTimeout': idle }: Config,
  { user: guid, from }: TokenSubject,
  now: Micros,
): Promise<Visitor | null> {
  const user = await findUser(tx, guid);
  if (!user) return null;
  if (user.locked === 1) throw errors.userLocked();
  if ('session' in from) {
    const session = await findSession(tx, from.session);
    if (session?.user_guid !== guid || session.expires_time <= now) return null;
    if (idle > 0 && now - session.active_time >= idle * MICROS) return null;
    return { user, source: { session_hash: from.session }, most: null, ends: session.expires_time };
  }
  const key = await findKeyById(tx, from.key);
  const ends = key?.expires_time ?? Infinity;
  if (key?.user_guid !== guid || ends <= now) return null;
  return { user, source: { parent_id: key.id }, most: key.role, ends };
}

function notValid() {
  return errors.invalidParameter({
    field: 'subject_token',
    message: 'the token of the visitor is not valid, or their session has ended',
  });
}
