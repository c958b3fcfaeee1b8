// Response headers of applications: those for a proxy in front or for the whole origin are removed, and addresses and
// cookies are moved below the content's path. Applies to WebSocket responses, too.
import type { IncomingHttpHeaders } from 'node:http';
import { HOST_PREFIX, isOwnCookie } from '../../http/cookie-names.ts';
import { before } from '../../platform/text.ts';

export interface Seen {
  /** Address of the content as its visitors see it, without a trailing slash. */
  readonly url: string;
  /** Whether no other content shares its origin. */
  readonly isAlone: boolean;
  /** Added to the response's own policy. */
  readonly policy: string | null;
  /** The server's own cookies, in addition to the application's. */
  readonly cookies?: readonly string[];
  /** Whether the response is to a known person: no proxy in front may keep it for others. */
  readonly isPersonal?: boolean;
}

/** Connection-specific headers (RFC 9110, 7.6.1), or meant for the server in front. */
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
  // Would apply to everything on this origin.
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
  // Would affect other cookies and origins.
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

/** The response headers for the visitor. */
export function responseHeaders(
  headers: IncomingHttpHeaders,
  { url, isAlone, policy, cookies: own = [], isPersonal = false }: Seen,
): Record<string, string | string[]> {
  const result: Record<string, string | string[]> = {};
  const named = headers.connection === undefined ? null : namesIn(headers.connection);
  for (const name in headers) {
    const value = headers[name];
    // Servers in front may treat "_" as "-".
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
  if (isPersonal) keepPersonal(result);
  if (own.length > 0) result['set-cookie'] = [...(result['set-cookie'] ?? []), ...own];
  if (policy !== null) {
    const known = headers['content-security-policy'];
    // Multiple policies all apply.
    result['content-security-policy'] = known === undefined ? policy : [known, policy].flat().join(', ');
  }
  return result;
}

/** Caches in front do not look at cookies: without this, they may show what is for few to everybody. */
function keepPersonal(headers: Record<string, string | string[]>): void {
  for (const name in headers) if (name.endsWith('cdn-cache-control')) delete headers[name];
  const parts = String(headers['cache-control'] ?? '').split(',');
  const kept = parts.map((part) => part.trim()).filter((part) => !FOR_EVERYBODY.test(part));
  headers['cache-control'] = ['private', ...kept].join(', ');
}

const FOR_EVERYBODY = /^(?:public|private|s-maxage\s*=.*|)$/i;

function namesIn(connection: string): Set<string> {
  const kept = new Set(['content-type', 'content-length', 'content-encoding', 'set-cookie']);
  const names = connection.split(',').map((name) => name.trim().toLowerCase());
  return new Set(names.filter((name) => !kept.has(name)));
}

/** Frameworks build absolute addresses from the Host header; those of content or server pages are kept. */
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
  // A nameless cookie is sent back as its bare value, which may look like any cookie.
  return name !== '' && cookie.includes('=') && !isOwnCookie(name);
}

function moveCookie(cookie: string, isAlone: boolean, prefix: string): string {
  // Browsers accept such names only for the whole origin.
  if (isAlone && cookie.startsWith(HOST_PREFIX)) return cookie;
  const [value, ...attributes] = cookie.split(';').map((part) => part.trim());
  const kept = attributes.filter((attribute) => !/^(domain|path)\s*(=|$)/i.test(attribute));
  const path =
    attributes.map((attribute) => /^path\s*=\s*(\/.*)$/i.exec(attribute)?.[1]).findLast(Boolean) ?? '/';
  return [value, `Path=${below(path, prefix)}`, ...kept].join('; ');
}
