// The server's own cookies: on encrypted connections they have a prefix that no other host can set, and contradictory
// values are all rejected.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { before } from '../platform/text.ts';
import {
  ATTEMPT_COOKIE,
  CONTENT_COOKIE,
  HOST_PREFIX,
  NONCE_COOKIE,
  NOTE_COOKIE,
  SESSION_COOKIE,
  XSRF_COOKIE,
} from './cookie-names.ts';
import { trimBlanks } from './read-cookie.ts';

const OWN = new Set([SESSION_COOKIE, XSRF_COOKIE, CONTENT_COOKIE, NONCE_COOKIE, NOTE_COOKIE]);
const OF_CONTENT = new Set([CONTENT_COOKIE, NONCE_COOKIE]);
/** Names, and domains, that one response clears: a request of 32 KiB would otherwise get one of 150 MB. */
const MAX_CLEARED = 10;
/** Browsers accept no longer ones (RFC 6265bis, 5.6). */
const MAX_PATH_LENGTH = 1024;
const MENTIONS_OWN = /pressroom-|RSC-XSRF/;

export function mentionsOwnCookies({ headers }: IncomingMessage): boolean {
  return headers.cookie !== undefined && MENTIONS_OWN.test(headers.cookie);
}

/**
 * Keeps only those of the server's own cookies that it can have set, by their plain names.
 * @param isShared whether all content has one origin, where cookies have paths instead of the prefix
 * @returns names with two different values, all of which were dropped
 */
export function admitCookies(
  request: IncomingMessage,
  isSecure: boolean,
  isShared: boolean,
): readonly string[] {
  const found = new Map<string, string>();
  const tossed = new Set<string>();
  const others: string[] = [];
  for (const part of partsOf(request.headers)) {
    const [full = '', value = ''] = trimBlanks(part).split('=', 2);
    const isPrefixed = full.startsWith(HOST_PREFIX);
    const name = isPrefixed ? full.slice(HOST_PREFIX.length) : full;
    if (!OWN.has(name) && !name.startsWith(`${ATTEMPT_COOKIE}-`)) {
      if (full !== '') others.push(trimBlanks(part));
      continue;
    }
    // Programs read the token by its plain name and send it back that way; it is still a secret of the session.
    const isPlain = (name === XSRF_COOKIE && !found.has(name)) || (name === CONTENT_COOKIE && isShared);
    const counts = isPrefixed === isSecure || (isSecure && isPlain);
    if (!counts) continue;
    const before = found.get(name);
    if (before !== undefined && before !== value && !(isSecure && name === XSRF_COOKIE)) tossed.add(name);
    found.set(name, value);
  }
  for (const name of tossed) found.delete(name);
  const own = [...found].map(([name, value]) => `${name}=${value}`);
  const kept = [...others, ...own].join('; ');
  if (kept === '') delete request.headers.cookie;
  else request.headers.cookie = kept;
  return [...tossed];
}

/**
 * Some clients send whole Set-Cookie strings, joined by commas (interop.md). Browsers never do: there, text after a
 * comma belongs to a value that any host below ours can have set.
 */
function partsOf(headers: IncomingHttpHeaders): string[] {
  const parts = (headers.cookie ?? '').split(';');
  const joins = (part: string) => part.includes(',') && MENTIONS_OWN.test(part);
  if (isBrowsers(headers)) return parts.filter((part) => !joins(part));
  return parts.flatMap((part) => (joins(part) ? part.split(',') : [part]));
}

function isBrowsers(headers: IncomingHttpHeaders): boolean {
  const known = headers['sec-fetch-site'] ?? headers.origin;
  return known !== undefined || /^Mozilla\//i.test(headers['user-agent'] ?? '');
}

/**
 * Removes cookies that a page of content may have set beside the server's own, which are at `/` for its host only; if
 * all content has one origin, those of items and hand-overs are below.
 */
export function clearTossed(
  names: readonly string[],
  path: string,
  host: string,
  isShared: boolean,
): string[] {
  const pathname = before(path, '?');
  const steps = pathname.split('/').filter(Boolean).slice(0, 8);
  const paths = steps
    .map((_, at) => `/${steps.slice(0, at + 1).join('/')}`)
    .filter((path) => path.length < MAX_PATH_LENGTH);
  const name = host.replace(/:\d+$/, '');
  const labels = isIP(name) || name.startsWith('[') ? [] : name.split('.');
  const domains = labels
    .slice(0, -1)
    .map((_, at) => labels.slice(at).join('.'))
    .slice(0, MAX_CLEARED);
  const gone = 'Max-Age=0';
  return names
    .slice(0, MAX_CLEARED)
    .flatMap((cookie) => [
      ...(isShared && OF_CONTENT.has(cookie) ? [`${cookie}=; Path=/; ${gone}`] : []),
      ...paths.flatMap((at) => [`${cookie}=; Path=${at}; ${gone}`, `${cookie}=; Path=${at}/; ${gone}`]),
      ...domains.flatMap((domain) =>
        ['/', ...paths].map((at) => `${cookie}=; Domain=${domain}; Path=${at}; ${gone}`),
      ),
    ]);
}
