// Authenticates and authorizes visitors of content: by API key or signature anywhere, else by the cookie for the
// request's origin.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ApiError, errors } from '@pressroom/api/contract';
import { contentRole, requireShown } from '../content/policy.ts';
import { findGrantedRole, type ContentRow } from '../content/store.ts';
import type { BaseUrl } from '../http/base-url.ts';
import { CONTENT_COOKIE, SESSION_COOKIE } from '../http/cookie-names.ts';
import { readCookie } from '../http/read-cookie.ts';
import {
  hasKey,
  isCrossOrigin,
  isNavigation,
  isOwnSocket,
  mayActForVisitor,
} from '../http/request-forgery.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/storage.ts';
import type { Authenticator, Caller } from '../sign-in/authenticator.ts';
import { isSigned, signedTargetOf, type SignedTarget } from '../sign-in/tokens/signature.ts';
import type { ContentPlaces } from './content-places.ts';

/** Credentials of a visitor, to be rechecked while the connection is open. */
export interface Credentials {
  readonly headers: IncomingHttpHeaders;
  /** Session cookie of one content item. */
  readonly token: string | null;
  /** Where an API key or a signature is used from; null without one. */
  readonly address: string | null;
  /** What is signed; absent without a signature. */
  readonly target?: SignedTarget;
}

export interface ContentVisitors {
  credentialsOf(request: IncomingMessage, kind: 'request' | 'socket'): Credentials;
  /** Null for an anonymous visitor of public content. @throws ApiError 19, 24, 50 */
  admit(content: ContentRow, credentials: Credentials): Promise<Caller | null>;
  /** @throws ApiError 92 for a WebSocket opened by a page of another origin. */
  requireOwnSocket(request: IncomingMessage): void;
}

export function createContentVisitors(
  authenticator: Authenticator,
  db: Database,
  places: ContentPlaces,
  base: Pick<BaseUrl, 'of' | 'visitor'>,
  clock: Clock,
): ContentVisitors {
  function identify(
    { headers, token, address, target }: Credentials,
    contentGuid: string,
  ): Promise<Caller | null> {
    return token === null
      ? authenticator.identify(headers, 'GET', address ?? undefined, target)
      : authenticator.identifyVisitor(token, contentGuid, headers);
  }

  /** For locked content. */
  async function admitCollaborator(content: ContentRow, credentials: Credentials): Promise<Caller | null> {
    const caller = await identify(credentials, content.guid).catch(nobody);
    const role =
      caller && !isKeyOfOther(caller, content)
        ? contentRole(content, caller, await findGrantedRole(db, content.guid, caller.guid))
        : null;
    requireShown(content, role);
    return caller;
  }

  /** On the server's own origin, sessions count only if content has no other. */
  function mayUseSession(request: IncomingMessage, kind: 'request' | 'socket'): boolean {
    const own = new URL(places.here(request)).origin;
    if (places.isShared)
      return kind === 'socket' ? isOwnSocket(request.headers, own) : !isCrossOrigin(request.headers, own);
    const destination = request.headers['sec-fetch-dest'];
    const isDocument = destination === undefined || destination === 'document';
    return (
      kind === 'request' && isNavigation(request) && isDocument && places.addressOf(request, ANY) === null
    );
  }

  return {
    credentialsOf(request, kind) {
      const { headers } = request;
      if (kind === 'request' && isSignedVisit(headers)) {
        const target = signedTargetOf(request, base.of(request), clock.now());
        return { headers, token: null, address: base.visitor(request), target };
      }
      if (headers.authorization === undefined && headers.cookie === undefined) return NOBODY;
      const { cookie, ...others } = authenticator.credentialsIn(headers);
      if (cookie === undefined || headers.authorization !== undefined)
        return { headers: others, token: null, address: hasKey(headers) ? base.visitor(request) : null };
      if (places.of(request).kind === 'main')
        return {
          headers: mayUseSession(request, kind) ? { ...others, cookie } : others,
          token: null,
          address: null,
        };
      const token = readCookie(cookie, CONTENT_COOKIE);
      if (token === null) return NOBODY;
      const own = new URL(places.here(request)).origin;
      const mayAct = kind === 'socket' ? isOwnSocket(headers, own) : mayActForVisitor(request, own);
      return mayAct ? { headers: others, token, address: null } : NOBODY;
    },
    async admit(content, credentials) {
      if (content.locked === 1) return admitCollaborator(content, credentials);
      if (content.access_type === 'all') {
        if (credentials === NOBODY) return null;
        // A stale key or a locked account must not hide public content.
        const visitor = await identify(credentials, content.guid).catch(nobody);
        return visitor && isKeyOfOther(visitor, content) ? null : visitor;
      }
      const caller = await identify(credentials, content.guid);
      if (!caller) throw errors.authenticationRequired();
      if (isKeyOfOther(caller, content)) throw errors.accessDenied();
      const granted =
        content.access_type === 'acl' ? await findGrantedRole(db, content.guid, caller.guid) : null;
      const role = contentRole(content, caller, granted);
      if (role === null || role === 'none') throw errors.accessDenied();
      return caller;
    },
    requireOwnSocket(request) {
      const { origin } = request.headers;
      if (hasKey(request.headers) || origin === undefined) return;
      if (origin === new URL(places.here(request)).origin) return;
      // Sandboxed pages at this address have no origin; they get what anybody gets.
      if (origin === 'null' && places.of(request).kind === 'main' && !places.isShared) return;
      throw errors.xsrfTokenMismatch({ message: 'WebSocket connections from other origins are not allowed' });
    },
  };
}

/** An unauthenticated visitor; other errors are passed on. */
function nobody(error: unknown): null {
  if (error instanceof ApiError) return null;
  throw error;
}

/** As pins for R reads. Content may have headers of these names itself: a session comes first. */
function isSignedVisit(headers: IncomingHttpHeaders): boolean {
  return (
    headers['x-auth-signature'] !== undefined &&
    isSigned(headers) &&
    [CONTENT_COOKIE, SESSION_COOKIE].every((name) => readCookie(headers.cookie, name) === null)
  );
}

const NOBODY: Credentials = { headers: {}, token: null, address: null };
/** Whether there is an origin depends on the address, not on the item. */
const ANY = '00000000-0000-0000-0000-000000000000';

/** A content key opens only its own content. */
function isKeyOfOther(caller: Caller, content: ContentRow): boolean {
  return caller.content_guid !== null && caller.content_guid !== content.guid;
}
