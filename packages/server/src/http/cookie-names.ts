// Names of the server's own cookies: content can neither read nor set them.

/** A browser session; with it, unsafe requests repeat the XSRF cookie in a header. */
export const SESSION_COOKIE = 'pressroom-session';
export const XSRF_COOKIE = 'RSC-XSRF';
/** The session of one content item. */
export const CONTENT_COOKIE = 'pressroom-content';
/** Binds a ticket to the browser that requested it. */
export const NONCE_COOKIE = 'pressroom-handover';
/** Prefix of cookies that bind an identity provider's response to an attempt. */
export const ATTEMPT_COOKIE = 'pressroom-sign-in';
/** A message shown on the next dashboard page. */
export const NOTE_COOKIE = 'pressroom-note';
/** The application process that a visitor returns to. */
export const PROCESS_COOKIE = 'pressroom-process';
/** The side of a canary that a visitor's session started on. */
export const BUNDLE_COOKIE = 'pressroom-bundle';
/** Browsers accept such cookies only from the host itself, over https, for all paths. */
export const HOST_PREFIX = '__Host-';

const NAMES = new Set([SESSION_COOKIE, XSRF_COOKIE]);

export function isOwnCookie(name: string): boolean {
  const plain = name.replace(/^__(?:host|secure)-/i, '');
  return NAMES.has(plain) || plain.startsWith('pressroom-');
}

/** The name of a cookie at an address; the prefix requires `Secure`, `Path=/` and no `Domain`. */
export function ownCookieName(name: string, address: string): string {
  return address.startsWith('https:') ? HOST_PREFIX + name : name;
}

/** Headers that remove a session's cookies from the browser. */
export function clearedCookies(address: string): string[] {
  const secure = address.startsWith('https:') ? '; Secure' : '';
  const names = new Set(
    [SESSION_COOKIE, XSRF_COOKIE].flatMap((name) => [name, ownCookieName(name, address)]),
  );
  return [...names].map((name) => `${name}=; Path=/; Max-Age=0${secure}`);
}
