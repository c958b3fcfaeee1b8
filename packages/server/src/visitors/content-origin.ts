// The origins of content: what they answer themselves, and how a session is handed over to one of them. The browser
// takes a nonce there, goes to the server with its hash, and comes back with a ticket that only this browser can use.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, errors } from '@pressroom/api/contract';
import { findContent } from '../content/store.ts';
import type { BaseUrl } from '../http/base-url.ts';
import { CONTENT_COOKIE, NONCE_COOKIE, ownCookieName } from '../http/cookie-names.ts';
import { isNavigation } from '../http/from-elsewhere.ts';
import { localPath } from '../http/local-path.ts';
import { escapeHtml, sendHtml } from '../http/pages.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { type Authenticator, hashSecret, readCookie, SESSION_COOKIE } from '../sign-in/authenticator.ts';
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
  /** Answers what is no content there, and the forwarding over of sessions; false: the request may go on. */
  handle(request: IncomingMessage, response: ServerResponse, path: string, place: Place): Promise<boolean>;
  /** Where somebody signs in who wants to see a path of content. */
  signInLocation(request: IncomingMessage): string;
}

const PURPOSE = 'content-session';
/** Microseconds that a ticket lasts: the time of a redirect. */
const TICKET_LIFE = 60_000_000;
/** Seconds that the browser's side lasts: signing in may lie in between. */
const NONCE_LIFE = 900;
/** Seconds that it lasts once it was of use: pages that were opened at once have tickets for it, too. */
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

  /** On the origin of content: the browser gets its nonce, and goes to the server with the hash of it. */
  async function begin(request: IncomingMessage, response: ServerResponse, values: URLSearchParams) {
    const found = await content.locate(localPath(values.get('next')));
    const place = places.of(request);
    const isHere = place.kind !== 'item' || place.guid === found?.guid;
    if (!found || !isHere || !isNavigation(request)) throw errors.notFound();
    const here = places.here(request);
    const known = readCookie(request.headers.cookie, NONCE_COOKIE);
    const nonce = known !== null && NONCE.test(known) ? known : ids.secret();
    // A page of content may have set it for all paths, where it would contradict the other one.
    if (known !== null && known !== nonce && here.startsWith('http:'))
      response.appendHeader('Set-Cookie', `${NONCE_COOKIE}=; Path=/; Max-Age=0`);
    response.appendHeader('Set-Cookie', cookie(here, NONCE_COOKIE, nonce, HAND_OVER, NONCE_LIFE));
    // As the path of its cookie is written.
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

  /** On the server's own origin: who is signed in gets a ticket; others sign in first, if the content asks for it. */
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
    // Not a redirect: the form of the sign-in page may lead to no other origin, and browsers look at the whole chain.
    response.setHeader('Refresh', `0; url=${onward}`);
    response.setHeader('X-Frame-Options', 'DENY');
    sendHtml(response, 200, 'Signed in', `<p><a href="${escapeHtml(onward)}">Go on to the content</a></p>`);
  }

  /** On the origin of content: a ticket of this browser becomes a session, once. */
  async function take(request: IncomingMessage, response: ServerResponse, values: URLSearchParams) {
    const here = places.here(request);
    const place = places.of(request);
    const next = localPath(values.get('next'));
    const ticket = openTicket(values.get('ticket') ?? '');
    const nonce = readCookie(request.headers.cookie, NONCE_COOKIE);
    const found = await content.locate(next);
    // Spent whoever shows it: one that went astray is of no use to anybody.
    const isFresh = ticket !== null && (await spend(storage.db, ticket.id, clock.now(), ticket.expires));
    const isHere = place.kind === 'content' || (place.kind === 'item' && place.guid === ticket?.guid);
    const isBound = nonce !== null && hashSecret(nonce) === ticket?.nonce;
    const isOfItem = isHere && ticket !== null && found?.guid === ticket.guid;
    const askAgain = () => {
      const query = new URLSearchParams({ next, ...carried(values), again: '1' });
      redirect(response, 302, `${here}${HAND_OVER}?${query.toString()}`);
    };
    if (!isOfItem || !isFresh || !isBound) {
      // Of pages that a browser opens at once, another one may have got the session already.
      if (found && (await isVisitor(request, found.guid))) return redirect(response, 302, here + next);
      // Or its nonce is in the place of this one's: this browser asks for a ticket of its own then, but only once.
      if (isOfItem && !values.has('again')) return askAgain();
      throw errors.reauthenticationRequired({
        message: 'this link was opened in another browser or already used: open the content again',
      });
    }
    const token = await sessionFor(ticket);
    // The sign-in of another tab ended the session of the ticket.
    if (token === null) return askAgain();
    // Where all content has one origin, each item's cookie goes to its own paths only.
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

  /** Null where the session of the ticket is over. */
  async function sessionFor({ session, guid }: Ticket): Promise<string | null> {
    try {
      return await beginContentSession(parts, session, guid);
    } catch (error) {
      if (error instanceof ApiError && error.code === 24) return null;
      throw error;
    }
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

/** What each step hands on to the next: the name that the visitor came from, and that this is the second try. */
function carried(values: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...values].filter(([name]) => name === 'from' || name === 'again'));
}

function cookie(address: string, name: string, value: string, path: string, lifetime: number): string {
  const isSecure = address.startsWith('https:');
  const where = isSecure ? '/' : new URL(address).pathname.replace(/\/$/, '') + path;
  const common = `HttpOnly; Path=${where}; SameSite=Lax; Max-Age=${lifetime}${isSecure ? '; Secure' : ''}`;
  return `${ownCookieName(name, address)}=${value}; ${common}`;
}
