// What pages of other origins make a visitor's browser ask for. No header that a browser sends is taken for granted:
// over plain http, but for localhost, browsers leave out Sec-Fetch-*.
import type { IncomingHttpHeaders } from 'node:http';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Whether a page of another origin caused a request that changes something. Browsers send Origin with those, wherever
 * they are; programs send neither.
 * @param own the origin of the server as its visitors see it: a proxy may ask by another name
 */
export function isFromElsewhere(headers: IncomingHttpHeaders, own: string): boolean {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && origin !== own;
}

/** Whether a program proves itself by a key. Browsers send Authorization by themselves only in other schemes. */
export function hasKey({ authorization }: IncomingHttpHeaders): boolean {
  return authorization !== undefined && /^key\b/i.test(authorization);
}

/** Whether a browser is to show the answer as a page. Pages of other origins cannot make up these headers. */
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
 * Whether a request that carries a cookie of content may act for its visitor: it was caused by a page of that very
 * origin, or by the visitor who went there.
 * @param own the origin that the request came to
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

/** Whether a socket may act for the visitor: its page is of this very origin, and says so. */
export function isOwnSocket(headers: IncomingHttpHeaders, own: string): boolean {
  return headers.origin === own;
}
