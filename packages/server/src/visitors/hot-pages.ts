// Public pages answered at once: caches what a request was found to ask for, and nothing else.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import { HSTS, type BaseUrl } from '../http/base-url.ts';
import { isNavigation } from '../http/request-forgery.ts';
import type { Storage } from '../platform/database/storage.ts';
import { isLoadedInAdvance } from './loaded-in-advance.ts';
import type { ContentSite, SiteResponse, SiteRequest } from './site/index.ts';

/** The result of routing a request: its file, and how the response is recorded. */
export interface Finding {
  readonly site: SiteRequest;
  /** Called with the response. */
  answered(request: IncomingMessage, response: SiteResponse): void;
}

export interface HotPages {
  /**
   * Answers a request with a cached finding, as long as nothing was written since; false otherwise.
   * @param port identifies the listening port
   */
  serve(request: IncomingMessage, response: ServerResponse, port: HotPort): boolean | Promise<boolean>;
  /** Caches the finding of an unauthenticated request. */
  keep(request: IncomingMessage, finding: Finding): void;
  /** To be called when content, rights or addresses changed. */
  forget(): void;
}

export type HotPort = 'main' | 'content';

interface Kept extends Finding {
  readonly generation: number;
  /** Milliseconds. */
  readonly until: number;
  readonly isSecure: boolean;
}

/** A request in normal processing. */
interface Pending {
  readonly key: string;
  readonly forgotten: number;
  readonly generation: number | null | Promise<number | null>;
}

export interface HotPagesParts {
  readonly storage: Pick<Storage, 'generationLately'>;
  readonly base: BaseUrl;
  readonly site: Pick<ContentSite, 'serveKnown'>;
}

const KEPT = 2000;
/** Milliseconds; then a request is processed normally, which also marks the files as used. */
const KEPT_FOR = 1000;

/**
 * Writes of this server invalidate everything at once; those of others before they confirm that a page was hidden, and
 * within 20 ms.
 */
export function createHotPages({ storage, base, site }: HotPagesParts): HotPages {
  const kept = new LRUCache<string, Kept>({ max: KEPT });
  const pending = new WeakMap<IncomingMessage, Pending>();
  let forgotten = 0;

  /** Everything a response depends on besides the database; null for authenticated requests. */
  function keyOf(request: IncomingMessage, port: HotPort): string | null {
    const { method, headers, url } = request;
    if ((method !== 'GET' && method !== 'HEAD') || isLoadedInAdvance(request)) return null;
    if (headers.authorization !== undefined || headers.cookie !== undefined) return null;
    const forwarded =
      headers['x-forwarded-host'] ?? headers['x-forwarded-proto'] ?? headers['x-forwarded-prefix'];
    const way = `${port} ${isNavigation(request) ? 'page' : 'part'} ${headers.host ?? ''} ${url ?? ''}`;
    if (forwarded === undefined) return way;
    // A proxy's headers count only if it is trusted.
    const names = ['host', 'proto', 'prefix'].map((name) => String(headers[`x-forwarded-${name}`] ?? ''));
    return JSON.stringify([
      way,
      base.isTrusted(request.socket.remoteAddress?.replace(/^::ffff:/, '')),
      ...names,
    ]);
  }

  function serveKept(
    request: IncomingMessage,
    response: ServerResponse,
    { key, found, generation }: { key: string; found: Kept | undefined; generation: number | null },
  ): boolean {
    const counts =
      found?.generation === generation && kept.peek(key) === found && found.until > performance.now();
    if (!counts) {
      pending.set(request, { key, forgotten, generation });
      return false;
    }
    if (found.isSecure) response.setHeader('Strict-Transport-Security', HSTS);
    const result = site.serveKnown(request, response, found.site);
    if (result) found.answered(request, result);
    else pending.set(request, { key, forgotten, generation });
    return result !== null;
  }

  return {
    serve(request, response, port) {
      const key = keyOf(request, port);
      if (key === null) return false;
      const found = kept.get(key);
      const generation = storage.generationLately();
      if (found && typeof generation === 'object' && generation !== null)
        return generation.then((number) => serveKept(request, response, { key, found, generation: number }));
      if (found && typeof generation === 'number')
        return serveKept(request, response, { key, found, generation });
      pending.set(request, { key, forgotten, generation });
      return false;
    },
    keep(request, finding) {
      const entry = pending.get(request);
      if (!entry) return;
      const until = performance.now() + KEPT_FOR;
      const isSecure = base.isSecure(request);
      const set = (generation: number | null) => {
        if (generation !== null && entry.forgotten === forgotten)
          kept.set(entry.key, { ...finding, generation, until, isSecure });
      };
      if (typeof entry.generation === 'object' && entry.generation !== null) void entry.generation.then(set);
      else set(entry.generation);
    },
    forget() {
      forgotten += 1;
      kept.clear();
    },
  };
}
