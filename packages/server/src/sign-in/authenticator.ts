// Authenticates requests: an API key or browser session becomes a Caller, or an error of the contract (section 5).
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { errors, type ServerRole } from '@pressroom/api/contract';
import type { SecurityEvents } from '../audit/security-events.ts';
import type { Config } from '../main/config/settings.ts';
import { lowerRole } from '../people/roles.ts';
import { touchUser, type UserRow } from '../people/store.ts';
import { isUsername } from '../people/username.ts';
import type { Clock } from '../platform/clock.ts';
import { createKeptRecords } from '../platform/database/kept-records.ts';
import type { ContentSessionTable, SessionTable } from '../platform/database/schema.ts';
import type { Storage } from '../platform/database/storage.ts';
import { findContentSession } from '../visitors/session-store.ts';
import { createKeyNetworks } from './key-networks.ts';
import { proofIn } from './proof-in.ts';
import type { HeaderSignIn, SignInProvider, VouchedPerson } from './providers/provider.ts';
import { isSameSecret } from './same-secret.ts';
import {
  type ApiKeyRow,
  findApiKey,
  findSession,
  findSigningKey,
  touchApiKey,
  touchSession,
} from './store.ts';
import { isSignatureOf, type SignedRequest, type SignedTarget } from './tokens/signature.ts';
import { findToken } from './tokens/store.ts';

export interface Caller {
  readonly guid: string;
  readonly username: string;
  readonly full_name: string;
  readonly role: ServerRole;
  /** The kind of credentials: a session's unsafe requests need the XSRF header. */
  readonly by: 'key' | 'session';
  /** Hash of the session's token, to see later whether it has ended. */
  readonly session?: string;
  /** Id of the API key. */
  readonly keyId?: number;
  /** GUID of the content item that acts for this person, with a visitor API key. */
  readonly visits?: string;
  /** The Slack user named by a bot: for the audit log only. */
  readonly slackUser?: string;
  /** The only content item of a content key; null for a personal key. */
  readonly content_guid: string | null;
  /** For a key of a CI pipeline that signed in with its token. */
  readonly pipeline?: { readonly name: string; readonly draftsOnly: boolean };
  /** Limits that a restricted key passes on to keys created with it. */
  readonly limits?: { readonly role: ServerRole | null; readonly expires_time: number | null };
}

export interface Authenticator {
  /**
   * @param address of the request; without it, the use of a key is not recorded.
   * @param target that a signature must cover; without it, signatures are not accepted.
   * @returns null if the request has no credentials.
   * @throws ApiError 24 for an invalid key or signature, 50 for a locked user, 92 for a missing XSRF header; 1, 22 or
   * 29 for a token that is not claimed yet, was denied or has expired.
   */
  identify(
    headers: IncomingHttpHeaders,
    method: string,
    address?: string,
    target?: SignedTarget,
  ): Promise<Caller | null>;
  /** The owner of a session on the origin of one content item; null if it has ended, or is for another item. */
  identifyVisitor(token: string, contentGuid: string, headers: IncomingHttpHeaders): Promise<Caller | null>;
  /** The headers that `identify` reads, to authenticate again later. */
  credentialsIn(headers: IncomingHttpHeaders): IncomingHttpHeaders;
  /** To be called after a user, its keys or its sessions changed. */
  forget(userGuid: string): void;
}

const XSRF_HEADER = 'x-rsc-xsrf';
const SLACK_USER = /\(slack-user ([A-Z0-9]{2,32})\)/;
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Maximum cached identities. */
const IDENTITIES_KEPT = 10_000;
/** Minimum microseconds between two writes of a user's or key's last activity. */
const ACTIVITY_STEP = 60_000_000;

interface Identity {
  readonly caller: Caller;
  readonly locked: boolean;
  readonly user: Pick<UserRow, 'username' | 'unique_id'>;
  readonly credential: Credential;
  /** Last time its activity was written. */
  recorded: number;
}

type Credential = ApiKeyRow | SessionTable;

export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Stands in for a key's hash: the space prevents any collision. */
export function tokenHash(token: string): string {
  return hashSecret(`token ${token}`);
}

export interface AuthenticatorOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  /** Idle timeout of sessions in seconds; 0 for none. */
  readonly idleTimeout: number;
  readonly signIn: SignInProvider['signIn'];
  readonly visitorKeys: Config['Applications.VisitorKeys'];
  /** Called when users may have lost rights. */
  readonly onForget: () => void;
  readonly events: SecurityEvents;
}

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { storage, clock, signIn, onForget, events } = options;
  const { db } = storage;
  const idle = options.idleTimeout === 0 ? Infinity : options.idleTimeout * 1_000_000;
  // Written often enough that an active session never looks idle.
  const step = Math.min(ACTIVITY_STEP, idle / 2);
  const identities = createKeptRecords<Identity>(storage, { max: IDENTITIES_KEPT });
  const networks = createKeyNetworks({ storage, clock, events });
  const visits = createKeptRecords<ContentSessionTable>(storage, { max: IDENTITIES_KEPT });

  const find = { key: findApiKey, session: findSession, token: findSigningKey };

  /** Cached by kind: a key sent as a session must not find what was read of the key. */
  function load(kind: Caller['by'] | 'token', secretHash: string): Promise<Identity | null> {
    return identities.get(`${kind} ${secretHash}`, () => read(kind, secretHash));
  }

  async function read(kind: Caller['by'] | 'token', secretHash: string): Promise<Identity | null> {
    const credential = await find[kind](db, secretHash);
    if (!credential || !isAllowed(credential)) return null;
    const used = isSession(credential) ? credential.active_time : (credential.last_used_time ?? 0);
    return {
      caller: {
        guid: credential.user_guid,
        username: credential.username,
        full_name: `${credential.first_name} ${credential.last_name}`.trim(),
        role: lower(credential.user_role, mostOf(credential)),
        by: kind === 'session' ? 'session' : 'key',
        ...(isSession(credential) ? { session: credential.token_hash } : { keyId: credential.id }),
        content_guid: isSession(credential) ? null : credential.content_guid,
        ...visitedBy(credential),
        ...limitsOf(credential),
        ...pipelineOf(credential),
      },
      locked: credential.locked === 1,
      user: credential,
      credential,
      recorded: isSession(credential) ? used : Math.min(credential.user_active_time ?? 0, used),
    };
  }

  /** The setting applies to visitor API keys that were created before. */
  function isAllowed(credential: Credential): boolean {
    return isSession(credential) || credential.visited_guid === null || options.visitorKeys !== 'off';
  }

  function mostOf(credential: Credential): ServerRole | null {
    if (isSession(credential)) return null;
    const isVisitors = credential.visited_guid !== null && options.visitorKeys !== 'off';
    return isVisitors ? lower(options.visitorKeys, credential.role) : credential.role;
  }

  async function loadSigned(signed: SignedRequest, target: SignedTarget): Promise<Identity> {
    const hash = tokenHash(signed.token);
    const identity = await load('token', hash);
    const waiting = identity === null ? await findToken(db, hash) : undefined;
    const publicKey = identity === null ? waiting?.public_key : signingKeyOf(identity.credential);
    // Without the private key, nothing about the token is revealed.
    if (typeof publicKey !== 'string' || !isSignatureOf(signed, target, publicKey))
      throw errors.authenticationRequired({ message: 'the signature or its token is not valid' });
    if (identity !== null) return identity;
    if (waiting?.denied === 1) throw errors.operationDenied({ message: 'the token was denied' });
    if (waiting && waiting.expires_time <= clock.now()) throw errors.tokenExpired();
    // Releases of rsconnect up to 1.3 accept only this status, later ones this or 401.
    throw errors.internal({ message: 'the token is not claimed yet' });
  }

  /** Cached: a visit's session never changes, and whether that still exists is checked each time. */
  function findVisit(tokenHash: string): Promise<ContentSessionTable | null> {
    return visits.get(tokenHash, async () => (await findContentSession(db, tokenHash)) ?? null);
  }

  async function record(identity: Identity, now: number): Promise<void> {
    if (now - identity.recorded < step) return;
    identity.recorded = now;
    await touchUser(db, identity.caller.guid, now);
    if (isSession(identity.credential)) await touchSession(db, identity.credential.token_hash, now);
    else await touchApiKey(db, identity.credential.id, now);
  }

  function isOver({ credential, recorded }: Identity, now: number): boolean {
    if (credential.expires_time !== null && credential.expires_time <= now) return true;
    return isSession(credential) && now - recorded >= idle;
  }

  /** Of a visitor API key: it ends with the session that it came from, also where that was not used for too long. */
  async function hasEndedSession({ credential }: Identity, now: number): Promise<boolean> {
    if (isSession(credential) || credential.session_hash === null) return false;
    const session = await load('session', credential.session_hash);
    return session === null || isOver(session, now);
  }

  return {
    async identify(headers, method, address, target) {
      const proof = proofIn(headers, target);
      if (proof === null) return null;
      const identity =
        proof.by === 'signature'
          ? await loadSigned(proof.signed, proof.target)
          : await load(proof.by, hashSecret(proof.secret));
      const now = clock.now();
      if (!identity || isOver(identity, now) || (await hasEndedSession(identity, now))) {
        // A stale cookie is ignored; an invalid key is an error.
        if (proof.by === 'session') return null;
        throw errors.authenticationRequired();
      }
      const { credential } = identity;
      if (isSession(credential) && signIn.by === 'header' && !isStill(identity, signIn, headers)) return null;
      if (identity.locked) throw errors.userLocked();
      if (
        isSession(credential) &&
        !SAFE_METHODS.has(method) &&
        !isSameSecret(headers[XSRF_HEADER], credential.xsrf)
      ) {
        throw errors.xsrfTokenMismatch();
      }
      await record(identity, now);
      if (address !== undefined && !isSession(credential))
        await networks.note(identity.caller, credential, address);
      const slackUser = SLACK_USER.exec(headers['user-agent'] ?? '')?.[1];
      return slackUser === undefined ? identity.caller : { ...identity.caller, slackUser };
    },
    async identifyVisitor(token, contentGuid, headers) {
      const row = await findVisit(hashSecret(token));
      if (!row || row.content_guid !== contentGuid) return null;
      const identity = await load('session', row.session_hash);
      const now = clock.now();
      if (!identity || isOver(identity, now)) return null;
      if (signIn.by === 'header' && !isStill(identity, signIn, headers)) return null;
      if (identity.locked) throw errors.userLocked();
      await record(identity, now);
      return identity.caller;
    },
    credentialsIn(headers) {
      const names = ['authorization', 'cookie', ...(signIn.by === 'header' ? signIn.names : [])];
      return Object.fromEntries(
        names.filter((name) => headers[name] !== undefined).map((name) => [name, headers[name]]),
      );
    },
    forget(userGuid) {
      identities.dropWhere(({ caller }) => caller.guid === userGuid);
      onForget();
    },
  };
}

function signingKeyOf(credential: Credential): string | null {
  return isSession(credential) ? null : credential.public_key;
}

function isSession(credential: Credential): credential is SessionTable {
  return 'token_hash' in credential;
}

function lower(role: ServerRole, limit: ServerRole | null): ServerRole {
  return limit === null ? role : lowerRole(role, limit);
}

function limitsOf(credential: Credential): Pick<Caller, 'limits'> {
  if (isSession(credential)) return {};
  const { role, expires_time } = credential;
  return role === null && expires_time === null ? {} : { limits: { role, expires_time } };
}

function visitedBy(credential: Credential): Pick<Caller, 'visits'> {
  return isSession(credential) || credential.visited_guid === null ? {} : { visits: credential.visited_guid };
}

function pipelineOf(credential: Credential): Pick<Caller, 'pipeline'> {
  if (isSession(credential) || credential.pipeline === null) return {};
  return { pipeline: { name: credential.pipeline, draftsOnly: credential.drafts_only === 1 } };
}

/** With proxied sign-in, a session ends when the proxy names another person, or nobody. */
function isStill({ user }: Identity, signIn: HeaderSignIn, headers: IncomingHttpHeaders): boolean {
  let person: VouchedPerson | null;
  try {
    person = signIn.read(headers);
  } catch {
    return false;
  }
  if (person === null) return false;
  if (person.unique_id !== null) return person.unique_id === user.unique_id;
  return isUsername(person.username) && person.username.toLowerCase() === user.username.toLowerCase();
}
