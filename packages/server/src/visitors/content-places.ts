// The origins of content: one per item if the host names allow it, else one for all, else none.
import type { IncomingMessage } from 'node:http';
import { guidOfLabel, labelOf, readContentAddress } from '../content/address.ts';
import type { BaseUrl } from '../http/base-url.ts';
import type { Config } from '../main/config/settings.ts';
import { isLoopback } from './origin-findings.ts';

/** What a request addresses, by its host name. */
export type Place =
  | { readonly kind: 'main' }
  /** The origin of one content item. */
  | { readonly kind: 'item'; readonly guid: string }
  /** The common origin of all content. */
  | { readonly kind: 'content' }
  | { readonly kind: 'nowhere' };

export interface ContentPlaces {
  /** Content shares the dashboard's origin, by configuration. */
  readonly isShared: boolean;
  of(request: IncomingMessage): Place;
  /** The browser address of an item, without a trailing slash; null if it has only the server's origin. */
  addressOf(request: IncomingMessage, guid: string): string | null;
  /** The address that a content request came to, without a trailing slash. */
  here(request: IncomingMessage): string;
  /** The server's own address. @param from the visitor's host name, if the server has several. */
  mainOf(request: IncomingMessage, from: string | null): string;
  /** Ports at which the visitor's own machine may be this server, or a tunnel to it. */
  portsOf(request: IncomingMessage): ReadonlySet<string>;
  /** To be called once the ports are known. @param content null without a second port */
  listensOn(main: number, content: number | null): void;
}

const MAIN: Place = { kind: 'main' };
const CONTENT: Place = { kind: 'content' };
const NOWHERE: Place = { kind: 'nowhere' };
const HOSTS_KEPT = 10_000;

function contradicts(other: Place, place: Place): boolean {
  if (other.kind === 'item') return place.kind !== 'item' || place.guid !== other.guid;
  return other.kind === 'content' && place.kind !== 'content';
}

export function createContentPlaces(config: Config, base: BaseUrl): ContentPlaces {
  const contentAddress = readContentAddress(config);
  const isShared = config['Server.ContentOrigin'] === 'shared';
  const address = config['Server.Address'];
  const own = config['HTTP.Listen'].replace(/:\d+$/, '');
  const listenName = isLoopback(own) ? own : 'localhost';
  let ports: { main: number; content: number | null } = { main: 0, content: null };
  const places = new Map<string, Place>();

  function read(host: string): Place {
    if (isShared) return MAIN;
    if (contentAddress.kind === 'fixed') return host === contentAddress.host ? CONTENT : MAIN;
    const suffix =
      contentAddress.kind === 'each' ? contentAddress.suffix : /\.localhost(?::\d+)?$/.exec(host)?.[0];
    if (suffix === undefined || !host.endsWith(suffix)) return MAIN;
    const guid = guidOfLabel(host.slice(0, -suffix.length));
    return guid === null ? NOWHERE : { kind: 'item', guid };
  }

  function named(host: string): Place {
    const kept = places.get(host);
    if (kept) return kept;
    const place = read(host);
    if (places.size >= HOSTS_KEPT) places.clear();
    places.set(host, place);
    return place;
  }

  /** Pages of content can send X-Forwarded-Host: it must not turn their origin into another one. */
  function placeOf(request: IncomingMessage): Place {
    if (ports.content !== null && request.socket.localPort === ports.content) return CONTENT;
    const host = base.hostOf(request);
    if (host === null) return NOWHERE;
    const place = named(host);
    const others = base.otherHostsOf(request).map(named);
    return others.some((other) => contradicts(other, place)) ? NOWHERE : place;
  }

  function withHost(url: string, host: string): string {
    const changed = new URL(url);
    changed.host = host;
    return changed.href.replace(/\/$/, '');
  }

  return {
    isShared,
    of: placeOf,
    addressOf(request, guid) {
      if (isShared) return null;
      if (contentAddress.kind === 'fixed') return contentAddress.origin;
      if (contentAddress.kind === 'each')
        return `${contentAddress.scheme}://${labelOf(guid)}${contentAddress.suffix}`;
      const main = base.of(request);
      const { protocol, hostname, port } = new URL(main);
      if (protocol !== 'http:') return null;
      if (isLoopback(hostname)) return withHost(main, `${labelOf(guid)}.localhost${port && `:${port}`}`);
      return ports.content === null ? null : withHost(main, `${hostname}:${ports.content}`);
    },
    here(request) {
      const place = placeOf(request);
      const main = base.of(request);
      if (place.kind === 'main' || place.kind === 'nowhere') return main;
      if (contentAddress.kind === 'fixed') return contentAddress.origin;
      const host = base.hostOf(request)!;
      return contentAddress.kind === 'each' ? `${contentAddress.scheme}://${host}` : withHost(main, host);
    },
    mainOf(request, from) {
      const main = base.of(request);
      if (address !== '' || placeOf(request).kind === 'main') return main;
      const { hostname, port } = new URL(main);
      if (ports.content !== null && request.socket.localPort === ports.content)
        return withHost(main, `${hostname}:${ports.main}`);
      const withPort = (name: string) => `${name}${port && `:${port}`}`;
      // Written by anybody: only a name of the server itself.
      const isOwn = from !== null && isLoopback(from) && named(withPort(from)).kind === 'main';
      return withHost(main, withPort(isOwn ? from : listenName));
    },
    portsOf(request) {
      const { hostname, port } = new URL(base.of(request));
      const asked = isLoopback(hostname) ? [port || '80'] : [];
      return new Set([...asked, String(ports.main), String(ports.content)]);
    },
    listensOn(main, content) {
      ports = { main, content };
    },
  };
}
