// The address of content in a browser: redirects to its own origin and adds the trailing slash; elsewhere it is
// sandboxed.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors } from '@pressroom/api/contract';
import type { BaseUrl } from '../http/base-url.ts';
import { SESSION_COOKIE } from '../http/cookie-names.ts';
import { readCookie } from '../http/read-cookie.ts';
import { hasKey, isNavigation } from '../http/request-forgery.ts';
import type { ContentPlaces, Place } from './content-places.ts';
import { HAND_OVER, redirect } from './hand-over.ts';
import type { Located } from './locate-content.ts';

/** Scripts run without an origin: they cannot act for anybody at the address they came from. */
const SANDBOX =
  'sandbox allow-scripts allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-downloads';

export interface ContentAddress {
  /** Content-Security-Policy for responses on the server's own origin: content runs as if it had none. */
  policyFor(request: IncomingMessage): string | null;
  /** Redirects browsers to the content's own origin. Returns whether it answered. */
  leadOn(request: IncomingMessage, response: ServerResponse, found: Located, place: Place): boolean;
  /** Redirects to the address with a trailing slash, so that relative addresses work. */
  addSlash(request: IncomingMessage, response: ServerResponse, place: Located): void;
}

export function createContentAddress(places: ContentPlaces, base: BaseUrl): ContentAddress {
  return {
    policyFor(request) {
      const isOurs = !hasKey(request.headers) && !places.isShared;
      return isOurs && places.of(request).kind === 'main' ? SANDBOX : null;
    },
    leadOn(request, response, found, place) {
      const isThere = place.kind === 'item' ? place.guid === found.guid : place.kind !== 'main';
      if (isThere || places.isShared || hasKey(request.headers)) return false;
      if (!isNavigation(request)) {
        if (place.kind === 'item') throw errors.notFound();
        return false;
      }
      const address = places.addressOf(request, found.guid);
      if (address === null) return false;
      const next = found.prefix + (found.rest || '/') + found.query;
      const isSignedIn = place.kind === 'main' && readCookie(request.headers.cookie, SESSION_COOKIE) !== null;
      const from = new URL(base.of(request)).hostname;
      const query = new URLSearchParams({ from, next }).toString();
      redirect(response, 307, isSignedIn ? `${address}${HAND_OVER}?${query}` : address + next);
      return true;
    },
    addSlash(request, response, place) {
      const here = new URL(places.here(request)).pathname.replace(/\/$/, '');
      const location = `${here}${place.prefix}/${place.query}`;
      response.writeHead(308, { Location: location, 'Content-Length': 0 }).end();
    },
  };
}
