// Headers that applications answer with: what speaks to the proxy in front, or for the whole origin, is taken out, and
// addresses and cookies are moved below the content's path. Holds for answers of sockets, too.
import type { IncomingHttpHeaders } from 'node:http';
import { HOST_PREFIX, isOwnCookie } from '../../http/cookie-names.ts';
import { before } from '../../platform/text.ts';

export interface Seen {
  /** Address of the content as its visitors see it, without a slash at the end. */
  readonly url: string;
  /** No other content is served on its origin. */
  readonly isAlone: boolean;
  /** Added to the policy of the answer, whatever that says itself. */
  readonly policy: string | null;
  /** The server's own, set beside those of the application. */
  readonly cookies?: readonly string[];
}

/** Of one connection only (RFC 9110, 7.6.1), or meant for the server in front of us. */
const DROPPED = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authentication-info',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // They would hold for all that is served here.
  'alt-svc',
  'clear-site-data',
  'expect-ct',
  'nel',
  'origin-agent-cluster',
  'public-key-pins',
  'public-key-pins-report-only',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'set-cookie2',
  'speculation-rules',
  'strict-transport-security',
  // Other cookies may belong to it, and other origins.
  'activate-storage-access',
  'set-login',
  'supports-loading-mode',
  'x-sendfile',
  'x-reproxy-url',
  'x-reproxy-file',
]);
/** nginx, lighttpd, perlbal and others act on these themselves, and our own servers on ours. */
const DROPPED_KINDS =
  /^(?:pressroom|x-accel|x-lighttpd|x-litespeed|x-sendfile|proxy|surrogate|sec-websocket)-/;

/** The headers of an answer as the visitor gets them. */
export function answerHeaders(
  headers: IncomingHttpHeaders,
  { url, isAlone, policy, cookies: own = [] }: Seen,
): Record<string, string | string[]> {
  const result: Record<string, string | string[]> = {};
  const named = headers.connection === undefined ? null : namesIn(headers.connection);
  for (const name in headers) {
    const value = headers[name];
    // Servers in front may read "_" as "-".
    const plain = name.includes('_') ? name.replaceAll('_', '-') : name;
    if (value === undefined || DROPPED.has(plain) || DROPPED_KINDS.test(plain) || named?.has(name)) continue;
    result[name] = value;
  }
  const { location, 'set-cookie': cookies } = headers;
  if (location !== undefined || cookies !== undefined) {
    const { origin, pathname } = new URL(url);
    const prefix = pathname.replace(/\/$/, '');
    if (location !== undefined) result.location = moveRedirect(location, origin, prefix);
    if (cookies)
      result['set-cookie'] = cookies.filter(isNotOwn).map((cookie) => moveCookie(cookie, isAlone, prefix));
  }
  if (own.length > 0) result['set-cookie'] = [...(result['set-cookie'] ?? []), ...own];
  if (policy !== null) {
    const known = headers['content-security-policy'];
    // Of several policies each one holds.
    result['content-security-policy'] = known === undefined ? policy : [known, policy].flat().join(', ');
  }
  return result;
}

function namesIn(connection: string): Set<string> {
  const kept = new Set(['content-type', 'content-length', 'content-encoding', 'set-cookie']);
  const names = connection.split(',').map((name) => name.trim().toLowerCase());
  return new Set(names.filter((name) => !kept.has(name)));
}

/** Frameworks make absolute addresses of the Host header; what is named as content or a page of the server is meant so. */
function moveRedirect(location: string, origin: string, prefix: string): string {
  if (!location.startsWith(`${origin}/`)) return below(location, prefix);
  const path = location.slice(origin.length);
  return /^\/(content\/|__)/.test(path) ? location : origin + below(path, prefix);
}

function below(path: string, prefix: string): string {
  const isOwnPath = path.startsWith('/') && !path.startsWith('//');
  return isOwnPath && path !== prefix && !path.startsWith(`${prefix}/`) ? prefix + path : path;
}

function isNotOwn(cookie: string): boolean {
  const name = before(cookie, '=').trim();
  // What has no name is sent back as its bare value, which may look like a cookie of any name.
  return name !== '' && cookie.includes('=') && !isOwnCookie(name);
}

function moveCookie(cookie: string, isAlone: boolean, prefix: string): string {
  // Browsers take such a name for all paths of an origin only.
  if (isAlone && cookie.startsWith(HOST_PREFIX)) return cookie;
  const [value, ...attributes] = cookie.split(';').map((part) => part.trim());
  const kept = attributes.filter((attribute) => !/^(domain|path)\s*(=|$)/i.test(attribute));
  const path =
    attributes.map((attribute) => /^path\s*=\s*(\/.*)$/i.exec(attribute)?.[1]).findLast(Boolean) ?? '/';
  return [value, `Path=${below(path, prefix)}`, ...kept].join('; ');
}
