// Headers between visitors and applications: who is visiting, told by the server alone; its own secrets taken out.
import type { IncomingHttpHeaders } from 'node:http';
import { SESSION_COOKIE, XSRF_COOKIE, type Caller } from '../auth/authenticator.ts';

export interface Forwarded {
  readonly caller: Caller | null;
  /** Names of the groups of the caller. */
  readonly groups: readonly string[];
  /** Address of the content as its visitors see it, without a slash at the end. */
  readonly url: string;
  readonly remoteAddress: string;
}

/** Names that applications take from the server; `_` reads as `-` to most of them. */
const RESERVED =
  /^(shiny-server|rstudio-connect|posit-connect|pressroom|x-forwarded|x-real-ip|x-rsc|rsc)(-|$)/;
const OWN_COOKIES = new Set([SESSION_COOKIE, XSRF_COOKIE]);

/** Changes the headers of a visitor's request to those that the application gets. */
export function prepareHeaders(
  headers: IncomingHttpHeaders,
  { caller, groups, url, remoteAddress }: Forwarded,
): void {
  for (const name of Object.keys(headers)) {
    if (RESERVED.test(name.toLowerCase().replaceAll('_', '-'))) delete headers[name];
  }
  delete headers.expect;
  if (/^key\b/i.test(headers.authorization ?? '')) delete headers.authorization;
  const cookies = withoutOwnCookies(headers.cookie);
  if (cookies === '') delete headers.cookie;
  else headers.cookie = cookies;
  const visible = new URL(url);
  headers['x-forwarded-for'] = remoteAddress;
  headers['x-forwarded-host'] = visible.host;
  headers['x-forwarded-proto'] = visible.protocol.slice(0, -1);
  headers['x-forwarded-prefix'] = visible.pathname.replace(/\/$/, '');
  if (!caller) return;
  const credentials = asciiJson({ user: caller.username, groups });
  headers['shiny-server-credentials'] = credentials;
  headers['rstudio-connect-credentials'] = credentials;
}

/** Header values are bytes: other characters are escaped as JSON does. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function withoutOwnCookies(header: string | undefined): string {
  const kept = (header ?? '').split(';').filter((part) => !OWN_COOKIES.has(part.split('=', 1)[0]!.trim()));
  return kept.join(';').trim();
}

/**
 * Changes what an application answered: it sees itself at the root, so its redirects and cookies are moved below the
 * content's path, and it cannot set the server's own cookies.
 * @param url address of the content as its visitors see it, without a slash at the end
 */
export function fixAnswer(headers: IncomingHttpHeaders, url: string): void {
  const { location } = headers;
  const { origin, pathname } = new URL(url);
  const prefix = pathname.replace(/\/$/, '');
  if (location !== undefined) headers.location = moveRedirect(location, origin, prefix);
  const cookies = headers['set-cookie'];
  if (cookies) headers['set-cookie'] = cookies.filter(isNotOwn).map((cookie) => moveCookie(cookie, prefix));
  for (const name of ['keep-alive', 'proxy-connection', 'service-worker-allowed']) delete headers[name];
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
  return !OWN_COOKIES.has(cookie.split('=', 1)[0]!.trim());
}

function moveCookie(cookie: string, prefix: string): string {
  const [value, ...attributes] = cookie.split(';').map((part) => part.trim());
  const kept = attributes.filter((attribute) => !/^(domain|path)\s*=/i.test(attribute));
  const path =
    attributes.map((attribute) => /^path\s*=\s*(\/.*)$/i.exec(attribute)?.[1]).find(Boolean) ?? '/';
  return [value, `Path=${below(path, prefix)}`, ...kept].join('; ');
}
