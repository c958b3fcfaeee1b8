// Protects against requests that pages of other origins cause in a visitor's browser. No single header is sufficient:
// over plain http, except on localhost, browsers omit Sec-Fetch-*.
import type { IncomingHttpHeaders } from 'node:http';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Whether a page of another origin caused a request that changes something. Browsers always send Origin with those;
 * programs do not.
 * @param own the origin of the server as visitors see it: a proxy may use another host name
 */
export function isCrossOrigin(headers: IncomingHttpHeaders, own: string): boolean {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && origin !== own;
}

/** Of keys that are sent as `Bearer`: all others of that scheme are for content. */
export const TOKEN_PREFIX = 'pressroom_';
const KEY = new RegExp(`^(?:key\\b|bearer +${TOKEN_PREFIX})`, 'i');

/** Whether a program authenticates with a key. Browsers send Authorization on their own only for other schemes. */
export function hasKey({ authorization }: IncomingHttpHeaders): boolean {
  return authorization !== undefined && KEY.test(authorization);
}

/** Whether a browser shows the response as a page. Pages of other origins cannot forge these headers. */
export function isNavigation({
  method,
  headers,
}: {
  method?: string;
  headers: IncomingHttpHeaders;
}): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const mode = headers['sec-fetch-mode'];
  return mode === undefined ? headers['upgrade-insecure-requests'] !== undefined : mode === 'navigate';
}

/**
 * Whether a request with a content cookie may act for its visitor: caused by a page of that origin, or by the visitor's
 * own navigation.
 * @param own the origin of the request
 */
export function mayActForVisitor(
  request: { method?: string; headers: IncomingHttpHeaders },
  own: string,
): boolean {
  const { method = '', headers } = request;
  const { origin, referer } = headers;
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return true;
  if (site !== undefined)
    return SAFE_METHODS.has(method) && isNavigation(request) && headers['sec-fetch-dest'] === 'document';
  if (origin !== undefined) return origin === own;
  if (referer !== undefined && URL.canParse(referer) && new URL(referer).origin === own) return true;
  return isNavigation(request);
}

/** Whether a WebSocket may act for the visitor: its page has this origin. */
export function isOwnSocket(headers: IncomingHttpHeaders, own: string): boolean {
  return headers.origin === own;
}
