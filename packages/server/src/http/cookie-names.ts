// Names of the cookies that belong to the server: content neither gets nor sets them.
import { SESSION_COOKIE, XSRF_COOKIE } from '../sign-in/authenticator.ts';

/** The session of one content item. */
export const CONTENT_COOKIE = 'pressroom-content';
/** What binds a ticket to the browser that asked for it. */
export const NONCE_COOKIE = 'pressroom-handover';
/** What an identity provider's answer is held against: with a dash and the attempt behind it. */
export const ATTEMPT_COOKIE = 'pressroom-sign-in';
/** What the dashboard says on its next page. */
export const NOTE_COOKIE = 'pressroom-note';
/** The process of an application that a visitor comes back to. */
export const PROCESS_COOKIE = 'pressroom-process';
/** The bundle of a canary that a visitor's session began with, or that it began with what is live. */
export const BUNDLE_COOKIE = 'pressroom-bundle';
/** Browsers take a cookie of such a name from its own host only, over https, for all its paths. */
export const HOST_PREFIX = '__Host-';

const NAMES = new Set([SESSION_COOKIE, XSRF_COOKIE]);

export function isOwnCookie(name: string): boolean {
  const plain = name.replace(/^__(?:host|secure)-/i, '');
  return NAMES.has(plain) || plain.startsWith('pressroom-');
}

/** The name of a cookie on an address; the prefix requires `Secure`, `Path=/` and no `Domain`. */
export function ownCookieName(name: string, address: string): string {
  return address.startsWith('https:') ? HOST_PREFIX + name : name;
}

/** What ends the cookies of a session in the browser. */
export function clearedCookies(address: string): string[] {
  const secure = address.startsWith('https:') ? '; Secure' : '';
  const names = new Set(
    [SESSION_COOKIE, XSRF_COOKIE].flatMap((name) => [name, ownCookieName(name, address)]),
  );
  return [...names].map((name) => `${name}=; Path=/; Max-Age=0${secure}`);
}
