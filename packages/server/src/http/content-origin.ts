// Content on an origin of its own: each origin serves its part only, and sessions are handed over by a ticket.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '@pressroom/api';
import { SESSION_COOKIE } from '../auth/authenticator.ts';
import { beginContentSession } from '../commands/sessions.ts';
import type { Services } from '../services.ts';
import type { BaseUrl } from './base-url.ts';
import { localPath } from './local-path.ts';
import { escapeHtml, sendHtml } from './pages.ts';

export interface ContentOrigin {
  /** Answers what belongs to the other origin, and the handing over of sessions; false: the request may go on. */
  handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean>;
  /** Where somebody signs in who wants to see a path of content. */
  signInLocation(request: IncomingMessage): string;
}

const HAND_OVER = '/__content-session__';
const PURPOSE = 'content-session';
/** Microseconds that a ticket lasts: the time of a redirect. */
const TICKET_LIFE = 60_000_000;

interface Ticket {
  readonly user_guid: string;
  readonly id: string;
}

export function createContentOrigin(services: Services, base: BaseUrl): ContentOrigin {
  const { authenticator, secrets, clock, ids } = services;
  const { contentAddress } = base;
  /** Tickets that were used, until they would have expired. */
  const used = new Map<string, number>();

  /** On the server's own origin: who is signed in gets a ticket, others sign in first. */
  async function give(request: IncomingMessage, response: ServerResponse, next: string): Promise<void> {
    const caller = await authenticator.identify(authenticator.credentialsIn(request.headers), 'GET');
    const main = base.of(request);
    if (!caller || caller.by !== 'session') {
      const back = `${HAND_OVER}?${new URLSearchParams({ next }).toString()}`;
      redirect(response, 302, `${main}/__login__?${new URLSearchParams({ next: back }).toString()}`);
      return;
    }
    const payload: Ticket = { user_guid: caller.guid, id: ids.uuid() };
    const ticket = secrets.sign(payload, PURPOSE, clock.now() + TICKET_LIFE);
    const onward = `${contentAddress}${HAND_OVER}?${new URLSearchParams({ ticket, next }).toString()}`;
    // Not a redirect: the form of the sign-in page may lead to no other origin, and browsers look at the whole chain.
    response.setHeader('Refresh', `0; url=${onward}`);
    sendHtml(response, 200, 'Signed in', `<p><a href="${escapeHtml(onward)}">Go on to the content</a></p>`);
  }

  /** On the origin of content: a ticket becomes a session, once. */
  async function take(response: ServerResponse, ticket: string, next: string): Promise<void> {
    const now = clock.now();
    for (const [id, until] of used) if (until < now) used.delete(id);
    const payload = secrets.verify<Ticket>(ticket, PURPOSE, now);
    if (!payload || used.has(payload.id)) throw new ApiError(24, { message: 'sign in again' });
    used.set(payload.id, now + TICKET_LIFE);
    const { token, lifetime } = await beginContentSession(services, payload.user_guid);
    const secure = contentAddress!.startsWith('https:') ? '; Secure' : '';
    const cookie = `${SESSION_COOKIE}=${token}; HttpOnly; Path=/; SameSite=Lax; Max-Age=${lifetime}${secure}`;
    response.setHeader('Set-Cookie', cookie);
    redirect(response, 302, `${contentAddress}${next}`);
  }

  return {
    async handle(request, response, path) {
      if (contentAddress === null) return false;
      const [pathname = '/', query = ''] = path.split('?', 2);
      const values = new URLSearchParams(query);
      const next = localPath(values.get('next'));
      if (base.isOfContent(request)) {
        if (pathname === HAND_OVER) await take(response, values.get('ticket') ?? '', next);
        else if (pathname === '/') redirect(response, 302, `${base.of(request)}/`);
        else if (pathname.startsWith('/__')) throw new ApiError(2);
        else return false;
        return true;
      }
      if (pathname === HAND_OVER) await give(request, response, next);
      else if (pathname === '/' || pathname.startsWith('/__')) return false;
      else redirect(response, 307, `${contentAddress}${path}`);
      return true;
    },
    signInLocation(request) {
      const next = request.url ?? '/';
      const path = contentAddress === null ? '/__login__' : HAND_OVER;
      const root =
        contentAddress === null ? new URL(base.of(request)).pathname.replace(/\/$/, '') : base.of(request);
      return `${root}${path}?${new URLSearchParams({ next }).toString()}`;
    },
  };
}

function redirect(response: ServerResponse, status: number, location: string): void {
  response.writeHead(status, { Location: location, 'Cache-Control': 'no-store', 'Content-Length': 0 }).end();
}
