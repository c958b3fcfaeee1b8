// The address of the server as clients see it (interop.md, "What the server must accept").
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { readContentAddress } from '../content/address.ts';
import { parseAddresses } from '../main/config/addresses.ts';
import type { Config } from '../main/config/settings.ts';

export interface BaseUrl {
  /** Without a trailing slash. */
  of(request: IncomingMessage): string;
  /** The requested host and port in lower case; null for an invalid host name. */
  hostOf(request: IncomingMessage): string | null;
  /** Other hosts in the request's headers: proxies pass on what visitors claim, unless configured otherwise. */
  otherHostsOf(request: IncomingMessage): readonly string[];
  /** Whether the visitor's connection is encrypted. */
  isSecure(request: IncomingMessage): boolean;
  /** The path of a request without the configured sub-path, which addresses of content do not have. */
  strip(request: IncomingMessage): string;
  /** The visitor's address: from a trusted proxy, else the peer of the connection. */
  visitor(request: IncomingMessage): string;
  isTrusted(address: string | undefined): boolean;
}

/** Browsers use https for a year, even if somebody on the network downgrades a link. */
export const HSTS = 'max-age=31536000';

/** IPv4 on a dual-stack socket. */
const MAPPED = /^::ffff:(?=[\d.]+$)/i;
const HOST = /^[a-z0-9.\-_[\]:]{1,255}$/;
/** Without trailing slashes. */
const PREFIX = /^((?:\/[A-Za-z0-9._~-]+)*)\/*$/;
const ITEM_BELOW_LOCALHOST = /^c[0-9a-f]{32}\.localhost(?::\d+)?$/;
const PROXIES_IN_A_ROW = 10;
/** Valid host names kept, so that each is parsed once. */
const HOSTS_KEPT = 1000;

export function createBaseUrl(config: Config): BaseUrl {
  const address = config['Server.Address'];
  const subPath = address === '' ? '' : new URL(address).pathname.replace(/\/$/, '');
  const addressHost = address === '' ? null : new URL(address).host;
  const content = readContentAddress(config);
  const proxies = parseAddresses(config['HTTP.TrustProxy']);
  const hasProxies = config['HTTP.TrustProxy'].trim() !== '';
  const isTrusted = (ip: string | undefined) => hasProxies && proxies.has(ip);
  const peerOf = (request: IncomingMessage) => (request.socket.remoteAddress ?? '').replace(MAPPED, '');
  const hosts = new Map<string, string | null>();

  function readHost(text: string): string | null {
    const kept = hosts.get(text);
    if (kept !== undefined) return kept;
    const host = text.toLowerCase();
    const found = HOST.test(host) && URL.canParse(`http://${host}`) ? host : null;
    if (hosts.size >= HOSTS_KEPT) hosts.clear();
    hosts.set(text, found);
    return found;
  }

  /** A header of a trusted proxy; empty for others. */
  function forwarded(request: IncomingMessage, name: string): string {
    if (!hasProxies || !isTrusted(peerOf(request))) return '';
    return String(request.headers[name] ?? '')
      .split(',')[0]!
      .trim();
  }

  /**
   * Whether a visitor's browser requested one of our names. Any other header may be made up by a page and passed on by
   * a proxy.
   */
  function isOurs(host: string): boolean {
    if (host === addressHost || isContents(host)) return true;
    return content.kind === 'none' && ITEM_BELOW_LOCALHOST.test(host);
  }

  /** Whether it is an origin of content in the settings. */
  function isContents(host: string): boolean {
    if (content.kind === 'fixed') return host === content.host;
    return content.kind === 'each' && host.endsWith(content.suffix);
  }

  function hostOf(request: IncomingMessage): string | null {
    const host = readHost(request.headers.host ?? config['HTTP.Listen']);
    if (!hasProxies || (host !== null && isOurs(host))) return host;
    const forwardedHost = forwarded(request, 'x-forwarded-host');
    return forwardedHost === '' ? host : readHost(forwardedHost);
  }

  return {
    isTrusted,
    hostOf,
    otherHostsOf(request) {
      if (forwarded(request, 'x-forwarded-host') === '') return [];
      const [, ...more] = String(request.headers['x-forwarded-host']).split(',');
      // A proxy adds its own at the end; before that, a visitor may have sent thousands.
      const names = [...more.slice(-PROXIES_IN_A_ROW), request.headers.host ?? ''];
      return names.map((name) => readHost(name.trim())).filter((name) => name !== null);
    },
    isSecure: (request) =>
      address === '' ? forwarded(request, 'x-forwarded-proto') === 'https' : address.startsWith('https:'),
    visitor(request) {
      const peer = peerOf(request);
      if (!isTrusted(peer)) return peer;
      // The last hop that is no trusted proxy: earlier ones may be forged.
      const hops = String(request.headers['x-forwarded-for'] ?? '').split(',');
      const last = hops.map(addressIn).findLast((hop) => !isTrusted(hop)) ?? '';
      return isIP(last) > 0 ? last : peer;
    },
    of(request) {
      if (address !== '') return address;
      const scheme = forwarded(request, 'x-forwarded-proto') === 'https' ? 'https' : 'http';
      const [, prefix = ''] = PREFIX.exec(forwarded(request, 'x-forwarded-prefix')) ?? [];
      const host = hostOf(request) ?? config['HTTP.Listen'];
      return `${scheme}://${host}${prefix}`;
    },
    strip(request) {
      const { url = '/' } = request;
      if (subPath === '' || !url.startsWith(subPath) || isContents(hostOf(request) ?? '')) return url;
      const rest = url.slice(subPath.length);
      return rest === '' || rest.startsWith('?') ? `/${rest}` : rest.startsWith('/') ? rest : url;
    },
  };
}

/** Some proxies add a port, or send IPv4 as IPv6. */
function addressIn(hop: string): string {
  const text = hop.trim();
  const [, v6, v4] = /^\[([\da-f:.]+)\](?::\d+)?$|^([\d.]+):\d+$/i.exec(text) ?? [];
  return (v6 ?? v4 ?? text).replace(MAPPED, '');
}
