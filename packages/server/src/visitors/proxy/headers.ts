// Headers between visitors and applications: who is visiting, told by the server alone; its own secrets taken out.
import type { IncomingHttpHeaders } from 'node:http';
import { isOwnCookie } from '../../http/cookie-names.ts';
import { before } from '../../platform/text.ts';
import type { Caller } from '../../sign-in/authenticator.ts';

export interface Forwarded {
  readonly caller: Caller | null;
  /** Names of the groups of the caller. */
  readonly groups: readonly string[];
  /** Address of the content as its visitors see it, without a slash at the end. */
  readonly url: string;
  readonly remoteAddress: string;
}

/**
 * Names that applications take from the server, or from whatever they believe to be in front of them; `_` reads as `-` to
 * most of them. `Proxy` would name a proxy for what CGI scripts ask for.
 */
const RESERVED =
  /^(shiny-server|rstudio-connect|posit-connect|pressroom|x-forwarded|forwarded|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-connecting-ip|fastly-client-ip|x-original|x-rewrite-url|x-auth-request|x-remote|remote-user|x-accel|proxy|x-rsc|rsc)(-|$)/;

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
  const kept = (header ?? '').split(';').filter((part) => !isOwnCookie(before(part, '=').trim()));
  return kept.join(';').trim();
}
