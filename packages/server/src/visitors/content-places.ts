// The origins that content is served on: one for each item where names can be had, else one for all, else none.
import type { IncomingMessage } from 'node:http';
import { guidOfLabel, labelOf, readContentAddress } from '../content/address.ts';
import type { BaseUrl } from '../http/base-url.ts';
import type { Config } from '../main/config/settings.ts';
import { isLoopback } from './origin-findings.ts';

/** What a request came to, by the name it asked for. */
export type Place =
  | { readonly kind: 'main' }
  /** The origin of one content item. */
  | { readonly kind: 'item'; readonly guid: string }
  /** An origin that all content has together. */
  | { readonly kind: 'content' }
  | { readonly kind: 'nowhere' };

export interface ContentPlaces {
  /** Content shares the origin of the dashboard, because the settings say so. */
  readonly isShared: boolean;
  of(request: IncomingMessage): Place;
  /** Where browsers find an item, without a slash at the end; null: it has no origin but the server's. */
  addressOf(request: IncomingMessage, guid: string): string | null;
  /** The address that a request for content came to, without a slash at the end. */
  here(request: IncomingMessage): string;
  /** The server's own address. @param from the name that the visitor came from, where it has several. */
  mainOf(request: IncomingMessage, from: string | null): string;
  /** To be called once the ports are known. @param content null where there is no second one */
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
  const told = readContentAddress(config);
  const isShared = config['Server.ContentOrigin'] === 'shared';
  const address = config['Server.Address'].replace(/\/+$/, '');
  const own = config['HTTP.Listen'].replace(/:\d+$/, '');
  const listenName = isLoopback(own) ? own : 'localhost';
  let ports: { main: number; content: number | null } = { main: 0, content: null };
  const places = new Map<string, Place>();

  function read(host: string): Place {
    if (isShared) return MAIN;
    if (told.kind === 'fixed') return host === told.host ? CONTENT : MAIN;
    const suffix = told.kind === 'each' ? told.suffix : /\.localhost(?::\d+)?$/.exec(host)?.[0];
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

  /** A page of content can send X-Forwarded-Host along: with that it must not become another place than it is of. */
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
      if (told.kind === 'fixed') return told.origin;
      if (told.kind === 'each') return `${told.scheme}://${labelOf(guid)}${told.suffix}`;
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
      if (told.kind === 'fixed') return told.origin;
      const host = base.hostOf(request)!;
      return told.kind === 'each' ? `${told.scheme}://${host}` : withHost(main, host);
    },
    mainOf(request, from) {
      const main = base.of(request);
      if (address !== '' || placeOf(request).kind === 'main') return main;
      const { hostname, port } = new URL(main);
      if (ports.content !== null && request.socket.localPort === ports.content)
        return withHost(main, `${hostname}:${ports.main}`);
      const name = from !== null && isLoopback(from) ? from : listenName;
      return withHost(main, `${name}${port && `:${port}`}`);
    },
    listensOn(main, content) {
      ports = { main, content };
    },
  };
}
