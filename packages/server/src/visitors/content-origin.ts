// Content origins: pages of their own, and the hand-over of sessions. The browser gets a nonce there, goes to the
// server with its hash, and returns with a ticket that only this browser can use.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors } from '@pressroom/api/contract';
import { findContent } from '../content/store.ts';
import type { BaseUrl } from '../http/base-url.ts';
import { CONTENT_COOKIE, NONCE_COOKIE, ownCookieName, SESSION_COOKIE } from '../http/cookie-names.ts';
import { localPath } from '../http/local-path.ts';
import { escapeHtml, sendHtml } from '../http/pages.ts';
import { readCookie } from '../http/read-cookie.ts';
import { isNavigation } from '../http/request-forgery.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { type Authenticator, hashSecret } from '../sign-in/authenticator.ts';
import { beginContentSession } from '../sign-in/sessions.ts';
import { spend } from '../sign-in/store.ts';
import type { ContentPlaces, Place } from './content-places.ts';
import type { ContentRoute } from './content-route.ts';
import { HAND_OVER, redirect } from './hand-over.ts';
import { isVariantPath } from './variant-at.ts';
import { isForCollaborators } from './versions.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly authenticator: Authenticator;
  readonly secrets: Secrets;
}

export interface ContentOrigin {
  /** Answers paths outside content on these origins, and the hand-over of sessions; false if the request continues. */
  handle(request: IncomingMessage, response: ServerResponse, path: string, place: Place): Promise<boolean>;
  /** Sign-in address for a visitor of a content path. */
  signInLocation(request: IncomingMessage): string;
}

const PURPOSE = 'content-session';
/** Microseconds a ticket is valid: the time of a redirect. */
const TICKET_LIFE = 60_000_000;
/** Seconds a nonce is valid: sign-in may be in between. */
const NONCE_LIFE = 900;
/** Seconds it stays valid after use: pages opened at the same time have tickets for it, too. */
const NONCE_LEFT = TICKET_LIFE / 1_000_000;
const NONCE = /^[\w-]{43}$/;

interface Ticket {
  readonly id: string;
  readonly guid: string;
  readonly session: string;
  readonly nonce: string;
  readonly expires: number;
}

export function createContentOrigin(
  parts: Parts,
  base: BaseUrl,
  places: ContentPlaces,
  content: Pick<ContentRoute, 'locate'>,
): ContentOrigin {
  const { authenticator, secrets, storage, clock, ids } = parts;

  /** On a content origin: sets the nonce, and redirects to the server with its hash. */
  async function begin(request: IncomingMessage, response: ServerResponse, values: URLSearchParams) {
    const found = await content.locate(localPath(values.get('next')));
    const place = places.of(request);
    const isHere = place.kind !== 'item' || place.guid === found?.guid;
    if (!found || !isHere || !isNavigation(request)) throw errors.notFound();
    const here = places.here(request);
    const known = readCookie(request.headers.cookie, NONCE_COOKIE);
    const nonce = known !== null && NONCE.test(known) ? known : ids.secret();
    // A page of content may have set one for all paths, which would contradict the real one.
    if (known !== null && known !== nonce && here.startsWith('http:'))
      response.appendHeader('Set-Cookie', `${NONCE_COOKIE}=; Path=/; Max-Age=0`);
    response.appendHeader('Set-Cookie', cookie(here, NONCE_COOKIE, nonce, HAND_OVER, NONCE_LIFE));
    // In the encoding of the cookie's path.
    const next = found.prefix + found.rest + found.query;
    const query = new URLSearchParams({
      item: found.guid,
      nonce: hashSecret(nonce),
      next,
      ...carried(values),
    });
    const main = places.mainOf(request, values.get('from'));
    redirect(response, 302, `${main}${HAND_OVER}?${query.toString()}`);
  }

  /** On the server's own origin: signed-in visitors get a ticket; others sign in first, if the content requires it. */
  async function give(request: IncomingMessage, response: ServerResponse, values: URLSearchParams) {
    const guid = values.get('item') ?? '';
    const nonce = values.get('nonce') ?? '';
    const next = localPath(values.get('next'));
    const found = await content.locate(next);
    const address = places.addressOf(request, guid);
    const wanted = found?.guid === guid && /^[0-9a-f]{64}$/.test(nonce);
    const destination = request.headers['sec-fetch-dest'];
    const isPage = isNavigation(request) && (destination === undefined || destination === 'document');
    if (!wanted || address === null || !isPage) throw errors.notFound();
    const { cookie: cookies } = request.headers;
    const caller = await authenticator
      .identify({ ...authenticator.credentialsIn(request.headers), authorization: undefined }, 'GET')
      .catch(() => null);
    const token = readCookie(cookies, SESSION_COOKIE);
    if (!caller || token === null) {
      const item = await findContent(storage.db, guid);
      if (item?.access_type === 'all' && !isForCollaborators(found.rest) && !isVariantPath(found.rest)) {
        redirect(response, 302, address + next);
        return;
      }
      values.set('after', 'sign-in');
      const back = `${HAND_OVER}?${values.toString()}`;
      const signIn = new URLSearchParams({ next: back }).toString();
      redirect(response, 302, `${base.of(request)}/__login__?${signIn}`);
      return;
    }
    const expires = clock.now() + TICKET_LIFE;
    const ticket: Ticket = { id: ids.secret(), guid, session: hashSecret(token), nonce, expires };
    const sealed = secrets.encrypt(JSON.stringify(ticket), PURPOSE);
    const query = new URLSearchParams({ ticket: sealed, next, ...carried(values) }).toString();
    const onward = `${address}${HAND_OVER}?${query}`;
    if (!values.has('after')) {
      redirect(response, 302, onward);
      return;
    }
    // Not a redirect: the sign-in form must not lead to another origin, and browsers check the whole redirect chain.
    response.setHeader('Refresh', `0; url=${onward}`);
    response.setHeader('X-Frame-Options', 'DENY');
    sendHtml(response, 200, 'Signed in', `<p><a href="${escapeHtml(onward)}">Go on to the content</a></p>`);
  }

  /** On a content origin: exchanges this browser's ticket for a session, once. */
  async function take(request: IncomingMessage, response: ServerResponse, values: URLSearchParams) {
    const here = places.here(request);
    const place = places.of(request);
    const next = localPath(values.get('next'));
    const ticket = openTicket(values.get('ticket') ?? '');
    const nonce = readCookie(request.headers.cookie, NONCE_COOKIE);
    const found = await content.locate(next);
    // Used up whoever presents it: a stolen ticket is useless.
    const isFresh = ticket !== null && (await spend(storage.db, ticket.id, clock.now(), ticket.expires));
    const isHere = place.kind === 'content' || (place.kind === 'item' && place.guid === ticket?.guid);
    const isBound = nonce !== null && hashSecret(nonce) === ticket?.nonce;
    const isOfItem = isHere && ticket !== null && found?.guid === ticket.guid;
    const askAgain = () => {
      const query = new URLSearchParams({ next, ...carried(values), again: '1' });
      redirect(response, 302, `${here}${HAND_OVER}?${query.toString()}`);
    };
    if (!isOfItem || !isFresh || !isBound) {
      // Of pages opened at the same time, another one may have got the session already.
      if (found && (await isVisitor(request, found.guid))) return redirect(response, 302, here + next);
      // Or another page's nonce has replaced this one's: the browser requests another ticket, but only once.
      if (isOfItem && !values.has('again')) return askAgain();
      throw errors.reauthenticationRequired({
        message: 'this link was opened in another browser or already used: open the content again',
      });
    }
    const token = await beginContentSession(parts, ticket.session, ticket.guid);
    // Another tab's sign-in ended the ticket's session.
    if (token === null) return askAgain();
    // If all content has one origin, each item's cookie is limited to its own paths.
    const root = new URL(here).pathname.replace(/\/$/, '');
    const path = place.kind === 'item' ? '/' : `${root}${found.prefix}/`;
    const isSecure = here.startsWith('https:');
    const name = place.kind === 'item' ? ownCookieName(CONTENT_COOKIE, here) : CONTENT_COOKIE;
    const attributes = `; HttpOnly; Path=${path}; SameSite=Lax${isSecure ? '; Secure' : ''}`;
    response.appendHeader('Set-Cookie', [
      `${name}=${token}${attributes}`,
      cookie(here, NONCE_COOKIE, nonce, HAND_OVER, NONCE_LEFT),
    ]);
    redirect(response, 302, here + next);
  }

  async function isVisitor({ headers }: IncomingMessage, guid: string): Promise<boolean> {
    const token = readCookie(headers.cookie, CONTENT_COOKIE);
    if (token === null) return false;
    return (await authenticator.identifyVisitor(token, guid, headers).catch(() => null)) !== null;
  }

  function openTicket(sealed: string): Ticket | null {
    try {
      const ticket = secrets.decryptJson<Ticket>(sealed, PURPOSE);
      return ticket.expires > clock.now() ? ticket : null;
    } catch {
      return null;
    }
  }

  return {
    async handle(request, response, path, place) {
      if (place.kind === 'nowhere') throw errors.notFound({ message: 'there is no content with this name' });
      const [pathname = '/', query = ''] = path.split('?', 2);
      if (pathname === HAND_OVER) {
        const values = new URLSearchParams(query);
        if (place.kind === 'main') await give(request, response, values);
        else if (values.has('ticket')) await take(request, response, values);
        else await begin(request, response, values);
        return true;
      }
      if (place.kind === 'main') return false;
      if (pathname === '/') redirect(response, 302, `${places.mainOf(request, null)}/`);
      else if (pathname.startsWith('/__')) throw errors.endpointNotSupported();
      else return false;
      return true;
    },
    signInLocation(request) {
      const next = new URLSearchParams({ next: request.url ?? '/' }).toString();
      const root = new URL(places.here(request)).pathname.replace(/\/$/, '');
      return `${root}${places.of(request).kind === 'main' ? '/__login__' : HAND_OVER}?${next}`;
    },
  };
}

/** Parameters passed through all steps: the visitor's original host, and whether this is the second attempt. */
function carried(values: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...values].filter(([name]) => name === 'from' || name === 'again'));
}

function cookie(address: string, name: string, value: string, path: string, lifetime: number): string {
  const isSecure = address.startsWith('https:');
  const where = isSecure ? '/' : new URL(address).pathname.replace(/\/$/, '') + path;
  const common = `HttpOnly; Path=${where}; SameSite=Lax; Max-Age=${lifetime}${isSecure ? '; Secure' : ''}`;
  return `${ownCookieName(name, address)}=${value}; ${common}`;
}
