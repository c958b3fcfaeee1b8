// The address of the server as its clients see it (interop.md, "What the server must accept").
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { parseAddresses } from '../config/addresses.ts';
import type { Config } from '../config/settings.ts';

export interface BaseUrl {
  /** Without a slash at the end. */
  of(request: IncomingMessage): string;
  /** Where content is, without a slash at the end: an origin of its own where that is set. */
  ofContent(request: IncomingMessage): string;
  /** Whether content has an origin of its own, and whether the request came to it. */
  readonly contentAddress: string | null;
  isOfContent(request: IncomingMessage): boolean;
  /** The path of a request with the configured sub-path taken off. */
  strip(url: string): string;
  /** The address of the visitor: what a trusted proxy says, else the other end of the connection. */
  visitor(request: IncomingMessage): string;
  isTrusted(address: string | undefined): boolean;
}

const HOST = /^[A-Za-z0-9.\-_[\]:]{1,255}$/;
const PREFIX = /^(\/[A-Za-z0-9._~-]+)*$/;

export function createBaseUrl(config: Config): BaseUrl {
  const address = config['Server.Address'].replace(/\/+$/, '');
  const contentAddress = config['Server.ContentAddress'].replace(/\/+$/, '') || null;
  if (contentAddress !== null && address === '')
    throw new Error('Server.ContentAddress wants Server.Address');
  const contentHost = contentAddress === null ? null : new URL(contentAddress).host;
  if (contentAddress !== null && new URL(contentAddress).origin !== contentAddress) {
    throw new Error('Server.ContentAddress must be an origin, such as https://content.example.com');
  }
  const subPath = address === '' ? '' : new URL(address).pathname.replace(/\/+$/, '');
  const proxies = parseAddresses(config['HTTP.TrustProxy']);
  const isTrusted = (ip: string | undefined) => proxies.has(ip);
  const peerOf = (request: IncomingMessage) => (request.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  const hostOf = (request: IncomingMessage) => {
    const forwarded = isTrusted(peerOf(request)) && request.headers['x-forwarded-host'];
    return String(forwarded || request.headers.host)
      .split(',')[0]!
      .trim();
  };
  return {
    isTrusted,
    contentAddress,
    ofContent(request) {
      return contentAddress ?? this.of(request);
    },
    isOfContent: (request) => contentHost !== null && hostOf(request) === contentHost,
    visitor(request) {
      const peer = peerOf(request);
      if (!isTrusted(peer)) return peer;
      // The last one that no proxy of ours added.
      const hops = String(request.headers['x-forwarded-for'] ?? '').split(',');
      const known = hops.map((hop) => hop.trim()).findLast((hop) => isIP(hop) > 0 && !isTrusted(hop));
      return known ?? peer;
    },
    of(request) {
      if (address !== '') return address;
      const forwarded = isTrusted(peerOf(request));
      const header = (name: string) =>
        forwarded
          ? String(request.headers[name] ?? '')
              .split(',')[0]!
              .trim()
          : '';
      const host = header('x-forwarded-host') || (request.headers.host ?? '');
      const scheme = header('x-forwarded-proto') === 'https' ? 'https' : 'http';
      const prefix = header('x-forwarded-prefix').replace(/\/+$/, '');
      const safeHost = HOST.test(host) ? host : config['HTTP.Listen'];
      return `${scheme}://${safeHost}${PREFIX.test(prefix) ? prefix : ''}`;
    },
    strip(url) {
      if (subPath === '' || !url.startsWith(subPath)) return url;
      const rest = url.slice(subPath.length);
      return rest === '' || rest.startsWith('?') ? `/${rest}` : rest.startsWith('/') ? rest : url;
    },
  };
}
