// The server's own cookies: where the connection is encrypted they carry the prefix that no other host can set, and of
// two that contradict each other none is taken.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { before } from '../platform/text.ts';
import { SESSION_COOKIE, XSRF_COOKIE } from '../sign-in/authenticator.ts';
import { ATTEMPT_COOKIE, CONTENT_COOKIE, HOST_PREFIX, NONCE_COOKIE, NOTE_COOKIE } from './cookie-names.ts';

const OWN = new Set([SESSION_COOKIE, XSRF_COOKIE, CONTENT_COOKIE, NONCE_COOKIE, NOTE_COOKIE]);
const OF_CONTENT = new Set([CONTENT_COOKIE, NONCE_COOKIE]);
const MENTIONS_OWN = /pressroom-|RSC-XSRF/;

export function mentionsOwnCookies({ headers }: IncomingMessage): boolean {
  return headers.cookie !== undefined && MENTIONS_OWN.test(headers.cookie);
}

/**
 * Leaves of the server's own cookies those that it can have set, under their plain names.
 * @param isShared whether the origin is one of all content, whose cookies have paths instead of the prefix
 * @returns names of which two different values came: none of either is left
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
    const [full = '', value = ''] = part.trim().split('=', 2);
    const isPrefixed = full.startsWith(HOST_PREFIX);
    const name = isPrefixed ? full.slice(HOST_PREFIX.length) : full;
    if (!OWN.has(name) && !name.startsWith(`${ATTEMPT_COOKIE}-`)) {
      if (full !== '') others.push(part.trim());
      continue;
    }
    // Programs read the token by its plain name and send it back so; it is a secret of the session all the same.
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
 * Some clients send whole Set-Cookie strings, with commas between them (interop.md). Browsers never do: there what follows
 * a comma is the value of a cookie that any host below ours can have set, whatever it looks like.
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
 * Takes away what a page of content may have set beside the server's own, which is at `/` for its host alone; but where all
 * content has one origin, that of an item and of its hand-over is below.
 */
export function clearTossed(
  names: readonly string[],
  path: string,
  host: string,
  isShared: boolean,
): string[] {
  const pathname = before(path, '?');
  const steps = pathname.split('/').filter(Boolean).slice(0, 8);
  const paths = steps.map((_, at) => `/${steps.slice(0, at + 1).join('/')}`);
  const name = host.replace(/:\d+$/, '');
  const labels = isIP(name) || name.startsWith('[') ? [] : name.split('.');
  const domains = labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'));
  const gone = 'Max-Age=0';
  return names.flatMap((cookie) => [
    ...(isShared && OF_CONTENT.has(cookie) ? [`${cookie}=; Path=/; ${gone}`] : []),
    ...paths.flatMap((at) => [`${cookie}=; Path=${at}; ${gone}`, `${cookie}=; Path=${at}/; ${gone}`]),
    ...domains.flatMap((domain) =>
      ['/', ...paths].map((at) => `${cookie}=; Domain=${domain}; Path=${at}; ${gone}`),
    ),
  ]);
}
