// Which bundle a visitor gets while a canary takes its share. Browsers stay with the bundle that their session began with,
// which a cookie says; programs without one are shared out request by request.
import type { IncomingMessage } from 'node:http';
import { BUNDLE_COOKIE, PROCESS_COOKIE } from '../http/cookie-names.ts';
import { readCookie } from '../sign-in/authenticator.ts';
import type { CanarySide } from './store.ts';

export interface Choice {
  readonly side: CanarySide;
  /** The value of the cookie that is to be set; null where it has that already, or needs none. */
  readonly mark: string | null;
}

export interface Chosen {
  readonly id: number;
  readonly bundle_id: number;
  /** Percent of new sessions; 0 once it has ended. */
  readonly share: number;
  /** Microseconds: when pages that are open there are answered there no more; null before its end. */
  readonly keptUntil: number | null;
}

/**
 * @param hasPages whether people look at it, in sessions of their own
 * @param isPage whether a browser opens a page, which begins a session where it has none
 * @param remembers whether processes know their visitors again
 * @param draw from 0 to 1, below 1
 */
export function chooseSide(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { id, bundle_id, share }: Chosen,
  about: { readonly hasPages: boolean; readonly isPage: boolean; readonly remembers: boolean },
  draw: () => number,
): Choice {
  const drawn = (): CanarySide => (draw() * 100 < share ? 'canary' : 'live');
  if (!about.hasPages) return { side: drawn(), mark: null };
  const [own, other] = [`${id}.${bundle_id}`, `${id}.live`];
  const known = readCookie(headers.cookie, BUNDLE_COOKIE);
  // Once it has ended, what its pages still ask for is answered there; the next page is of what is live.
  if (known === own && (share > 0 || !about.isPage)) return { side: 'canary', mark: null };
  if (known === other || !about.isPage || share === 0) return { side: 'live', mark: null };
  // Its session began before the canary.
  if (about.remembers && readCookie(headers.cookie, PROCESS_COOKIE) !== null)
    return { side: 'live', mark: other };
  const side = drawn();
  return { side, mark: side === 'canary' ? own : other };
}

/** @param url of the content, as its visitors see it */
export function bundleCookie(mark: string, url: string): string {
  const { pathname, protocol } = new URL(url);
  const secure = protocol === 'https:' ? '; Secure' : '';
  return `${BUNDLE_COOKIE}=${mark}; Path=${pathname}; HttpOnly; SameSite=Lax${secure}`;
}
