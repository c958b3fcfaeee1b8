// The cookie with the note that the next page of the dashboard shows.
import { NOTE_COOKIE, ownCookieName } from '../http/cookie-names.ts';
import { DASHBOARD_PREFIX } from '../http/paths.ts';

/** Characters; each takes at most 3 bytes, and a cookie has 4096. */
const MAX_NOTE_LENGTH = 900;

/** @param lifetime seconds. @param sentTo path of the form that it answers */
export function noteCookie(address: string, note: string, lifetime: number, sentTo = ''): string {
  // Browsers drop cookies that are too long.
  const short = note.length > MAX_NOTE_LENGTH ? `${note.slice(0, MAX_NOTE_LENGTH)}…` : note;
  const value = Buffer.from(`${sentTo}\n${short}`).toString('base64url');
  const isSecure = address.startsWith('https:');
  const path = isSecure ? '/' : new URL(address).pathname.replace(/\/$/, '') + DASHBOARD_PREFIX;
  const attributes = `HttpOnly; Path=${path}; SameSite=Lax; Max-Age=${lifetime}${isSecure ? '; Secure' : ''}`;
  return `${ownCookieName(NOTE_COOKIE, address)}=${value}; ${attributes}`;
}

export function readNote(value: string): { readonly note: string; readonly sentTo: string } {
  const text = Buffer.from(value, 'base64url').toString();
  const end = text.indexOf('\n');
  return { note: text.slice(end + 1).slice(0, MAX_NOTE_LENGTH + 1), sentTo: text.slice(0, Math.max(0, end)) };
}
