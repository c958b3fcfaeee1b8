// Chooses which bundle a visitor gets while a canary takes its share. A cookie keeps browsers on the bundle that their
// session started with; for programs without cookies each request is assigned anew.
import type { IncomingMessage } from 'node:http';
import { BUNDLE_COOKIE, PROCESS_COOKIE } from '../http/cookie-names.ts';
import { readCookie } from '../http/read-cookie.ts';
import type { CanarySide } from './store.ts';

export interface Choice {
  readonly side: CanarySide;
  /** The cookie value to set; null if it is set already or not needed. */
  readonly mark: string | null;
}

export interface Chosen {
  readonly id: number;
  readonly bundle_id: number;
  /** Percentage of new sessions; 0 after its end. */
  readonly share: number;
  /** Microseconds: until when its open pages are still served; null before its end. */
  readonly keptUntil: number | null;
}

/**
 * @param hasPages whether people view it, in sessions of their own
 * @param isPage whether a browser opens a page, which starts a session if there is none
 * @param remembers whether processes recognise returning visitors
 * @param draw random number, 0 ≤ draw < 1
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
  // After its end, requests of its open pages still go there; the next page comes from the live bundle.
  if (known === own && (share > 0 || !about.isPage)) return { side: 'canary', mark: null };
  if (known === other || !about.isPage || share === 0) return { side: 'live', mark: null };
  // The session began before the canary.
  if (about.remembers && readCookie(headers.cookie, PROCESS_COOKIE) !== null)
    return { side: 'live', mark: other };
  const side = drawn();
  return { side, mark: side === 'canary' ? own : other };
}

/** @param url of the content as visitors see it */
export function bundleCookie(mark: string, url: string): string {
  const { pathname, protocol } = new URL(url);
  const secure = protocol === 'https:' ? '; Secure' : '';
  return `${BUNDLE_COOKIE}=${mark}; Path=${pathname}; HttpOnly; SameSite=Lax${secure}`;
}
