// Request headers for applications: the visitor's identity is set by the server only; the server's own secrets are
// removed.
import type { IncomingHttpHeaders } from 'node:http';
import { isOwnCookie } from '../../http/cookie-names.ts';
import { hasKey } from '../../http/request-forgery.ts';
import { before } from '../../platform/text.ts';
import type { Caller } from '../../sign-in/authenticator.ts';

export interface Forwarded {
  readonly caller: Caller | null;
  /** Names of the caller's groups. */
  readonly groups: readonly string[];
  /** Address of the content as its visitors see it, without a trailing slash. */
  readonly url: string;
  readonly remoteAddress: string;
  /** For content that may act for its visitors: exchanged for an API key; null for none. */
  readonly sessionToken: string | null;
}

/**
 * Names that applications trust from the server, or from any proxy in front of them, or in which such a proxy passes on
 * tokens of the visitor; most treat `_` as `-`. `Proxy` would set a proxy for CGI scripts.
 */
const RESERVED =
  /^(shiny-server|rstudio-connect|posit-connect|pressroom|x-forwarded|forwarded|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-connecting-ip|fastly-client-ip|x-original|x-rewrite-url|x-auth-request|oidc|x-amzn-oidc|cf-access|x-goog-iap|x-ms-token|x-ms-client-principal|x-pomerium|x-vouch|x-authentik|x-remote|remote-user|x-accel|proxy|x-rsc|rsc)(-|$)/;

/** Usual values of `Connection`: they name no other header. */
const USUAL = /^(keep-alive|close|upgrade)$/i;
/** They frame the request, so naming them must not remove them. */
const FRAMING = new Set(['connection', 'content-length', 'host', 'transfer-encoding', 'upgrade']);

/** Removes headers that are only for this server, by the visitor's `Connection` (RFC 9110, 7.6.1). */
export function dropNamedHeaders(headers: IncomingHttpHeaders): void {
  const { connection } = headers;
  if (connection === undefined || USUAL.test(connection)) return;
  for (const part of connection.toLowerCase().split(',')) {
    const name = part.trim();
    if (!FRAMING.has(name)) delete headers[name];
  }
}

/** Replaces the headers of a visitor's request by those for the application. */
export function prepareHeaders(
  headers: IncomingHttpHeaders,
  { caller, groups, url, remoteAddress, sessionToken }: Forwarded,
): void {
  // Before ours are set: a visitor must not remove those.
  dropNamedHeaders(headers);
  for (const name of Object.keys(headers)) {
    if (RESERVED.test(name.toLowerCase().replaceAll('_', '-'))) delete headers[name];
  }
  delete headers.expect;
  if (hasKey(headers)) delete headers.authorization;
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
  if (sessionToken !== null) headers['posit-connect-user-session-token'] = sessionToken;
}

/** Header values are ASCII: other characters are escaped as in JSON. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function withoutOwnCookies(header: string | undefined): string {
  const kept = (header ?? '').split(';').filter((part) => !isOwnCookie(before(part, '=').trim()));
  return kept.join(';').trim();
}
