// Requests addresses given by publishers: never in a private network, whatever a name resolves to or a redirect points
// to.
import { lookup as resolve } from 'node:dns';
import { request as plain, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as secure } from 'node:https';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { isPrivate } from '../../git/address.ts';
import { responseTo } from '../../platform/response-to.ts';

export type Fetch = (
  url: URL,
  options: {
    readonly method?: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
    readonly body?: string;
    /** False: a redirect is returned. */
    readonly follow?: boolean;
  },
) => Promise<Response>;

export class PrivateAddressError extends Error {}

const MAX_REDIRECTS = 5;
/** Statuses without a body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const SILENCE_MS = 60_000;
/** Headers without secrets. */
const FOR_ANYBODY = /^(?:accept(?:-.*)?|range|user-agent)$/i;

/**
 * Connects to exactly the checked address.
 * @param privateHosts hosts that may have private addresses, by this setting
 */
export function createGuardedFetch(
  privateHosts: readonly string[],
  setting = 'Packages.PrivateHosts',
): Fetch {
  const privateAddress = (host: string) =>
    new PrivateAddressError(`${host} has a private address: an administrator must name it in ${setting}`);
  const allowed = new Set(privateHosts.map((host) => host.toLowerCase()));

  async function requestOnce(url: URL, options: Parameters<Fetch>[1]): Promise<IncomingMessage> {
    const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
    const mayBePrivate = allowed.has(host);
    if (isIP(host) !== 0 && !mayBePrivate && isPrivate(host)) throw privateAddress(host);
    const lookup: RequestOptions['lookup'] = (name, lookupOptions, done) =>
      resolve(name, lookupOptions, (error, found, family) => {
        const all = typeof found === 'string' ? [found] : (found ?? []).map((one) => one.address);
        const isRefused = error === null && !mayBePrivate && all.some(isPrivate);
        done(isRefused ? privateAddress(host) : error, found as never, family as never);
      });
    const { method = 'GET', headers, signal, body } = options;
    const send = url.protocol === 'https:' ? secure : plain;
    const request = send(url, { method, headers, lookup, agent: false, ...(signal && { signal }) });
    request.setTimeout(SILENCE_MS, () => request.destroy(new Error('it does not respond')));
    request.end(body);
    return responseTo(request);
  }

  return async (url, options) => {
    let [target, headers] = [url, options.headers];
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const response = await requestOnce(target, { ...options, headers });
      const { statusCode: status = 502, headers: given } = response;
      const { location } = given;
      if (!REDIRECTS.has(status) || location === undefined || options.follow === false) {
        const body = EMPTY.has(status) ? null : (Readable.toWeb(response) as ReadableStream<Uint8Array>);
        return new Response(body, { status, headers: flat(given) });
      }
      response.destroy();
      const next = new URL(location, target);
      if (next.protocol !== 'https:' && next.protocol !== target.protocol)
        throw new Error('it redirects to an address that is not encrypted');
      // Passwords are for their own host only.
      if (next.origin !== target.origin)
        headers = Object.fromEntries(Object.entries(headers).filter(([name]) => FOR_ANYBODY.test(name)));
      target = next;
    }
    throw new Error('it redirects too often');
  };
}

function flat(headers: IncomingMessage['headers']): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(', ')] as [string, string]],
  );
}
