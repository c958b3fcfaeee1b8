// Serves extracted directories as web sites: regular files only, each site from its own root.
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import { judge, type ByteRange } from './conditions.ts';
import { responseHeaders, bodilessHeaders, describe, flat } from './file-headers.ts';
import { createFileStreams } from './file-stream.ts';
import { createSiteCache, type KnownFile } from './site-cache.ts';
import { openBelow, reopen } from './site-files.ts';
import { readSitePath, type SitePath } from './site-path.ts';

export interface ContentSiteOptions {
  /** Maximum bytes of the cache; 64 MiB by default. */
  cacheBytes?: number;
  /** Files up to this many bytes are cached once served; 256 KiB by default. */
  maxCachedFile?: number;
}

/** What to serve for one request. */
export interface SiteRequest {
  /** The extracted directory. Its files must not change; a redeploy makes a new one. */
  root: string;
  /** Identifies the deploy; part of the cache key and of every ETag. */
  version: string;
  /** The path of the URL after the content's prefix, still percent-encoded. A query is ignored. */
  path: string;
  /** The top-level file served for the root. */
  primary: string;
  /** Added to every response. */
  headers?: Record<string, string>;
}

/** How a request was answered. */
export interface SiteResponse {
  status: number;
  /** Whether the response is an HTML document, which counts as a visit. */
  isPage: boolean;
}

export interface ContentSite {
  /**
   * Answers a GET or HEAD (405 otherwise), streaming large files; settles when the response is sent or the client gone.
   * Answers 404, with the site's own 404.html if there is one, for dot files, the bundle's manifest.json, links and
   * directory listings.
   * @throws on disk errors; the response may then be half sent and must be destroyed
   */
  serve(request: IncomingMessage, response: ServerResponse, site: SiteRequest): Promise<SiteResponse>;
  /** Answers synchronously from the cache; null without answering if the file is not cached. */
  serveKnown(request: IncomingMessage, response: ServerResponse, site: SiteRequest): SiteResponse | null;
  /** Drops a directory from the cache, for example after a redeploy. */
  drop(root: string): void;
}

/** A response without its body. */
interface Beginning {
  readonly status: number;
  readonly headers: string[];
  readonly range: ByteRange | null;
}

/** Static site generators create this page for unknown paths. */
const NOT_FOUND_PAGE = '404.html';

/** Serves sites, caching hot files. */
export function createContentSite(options: ContentSiteOptions = {}): ContentSite {
  const { cacheBytes = 64 * 1024 ** 2, maxCachedFile = 256 * 1024 } = options;
  const cache = createSiteCache(cacheBytes);
  const streams = createFileStreams();
  // Concurrent first visits to a page read it once.
  const loading = new Map<string, Promise<KnownFile | 'directory' | null>>();

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    site: SiteRequest,
  ): Promise<SiteResponse> {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return refuse(request, response, 405, { ...site.headers, Allow: 'GET, HEAD' });
    }
    // Keys with "%" or "?" are kept apart, so a raw path found in the cache needs no decoding.
    const hot = cache.get(site.root, site.version, site.path);
    if (hot !== undefined) return send(request, response, site, hot);

    const queryAt = site.path.indexOf('?');
    const path = readSitePath(queryAt < 0 ? site.path : site.path.slice(0, queryAt));
    if (path === 400) return refuse(request, response, path, site.headers);
    const found = path === 404 ? null : await find(site, path);
    if (path === 404 || found === null) return notFound(request, response, site);
    if (found === 'redirect') return redirect(request, response, path, site.headers);
    return send(request, response, site, found);
  }

  /** The file of a path; 'redirect' for a directory with a page if the URL lacks the slash. */
  async function find(site: SiteRequest, path: SitePath): Promise<KnownFile | 'redirect' | null> {
    const { root, version } = site;
    const key = cacheKey(path);
    const known = cache.get(root, version, key);
    if (known !== undefined) return known;
    if (path.directory) {
      for (const relative of indexesOf(path, site.primary)) {
        const file = await load(site, relative);
        if (file !== null && file !== 'directory') {
          cache.put(root, version, key, file);
          return file;
        }
      }
      return null;
    }
    const file = await load(site, path.relative);
    if (file === 'directory') {
      const index = await load(site, `${path.relative}/index.html`);
      return index === null || index === 'directory' ? null : 'redirect';
    }
    if (file !== null) cache.put(root, version, key, file);
    return file;
  }

  /** The site's own 404 page, if there is one: never revalidated, never a visit. */
  async function notFound(
    request: IncomingMessage,
    response: ServerResponse,
    site: SiteRequest,
  ): Promise<SiteResponse> {
    const page = await find(site, { relative: NOT_FOUND_PAGE, directory: false, lastRaw: NOT_FOUND_PAGE });
    if (page === null || page === 'redirect') return refuse(request, response, 404, site.headers);
    const headers = [...page.headers.slice(0, 4), 'Cache-Control', 'no-cache', ...flat(site.headers)];
    const head = { status: 404, headers: [...headers, 'X-Content-Type-Options', 'nosniff'], range: null };
    if (request.method === 'GET' && page.body === null && page.size > 0)
      return { ...(await stream(request, response, site, page, head)), isPage: false };
    response.writeHead(404, head.headers).end(request.method === 'GET' ? page.body : undefined);
    return { status: 404, isPage: false };
  }

  function load({ root, version }: SiteRequest, relative: string): Promise<KnownFile | 'directory' | null> {
    const key = `${root}\0${version}\0${relative}`;
    const under = loading.get(key);
    if (under !== undefined) return under;
    const work = read(root, version, relative).finally(() => loading.delete(key));
    loading.set(key, work);
    return work;
  }

  async function read(
    root: string,
    version: string,
    relative: string,
  ): Promise<KnownFile | 'directory' | null> {
    const opened = await openBelow(root, relative);
    if (opened === null) return null;
    try {
      if (opened.stats.isDirectory()) return 'directory';
      return await describe(opened, version, maxCachedFile);
    } finally {
      await opened.handle.close();
    }
  }

  async function send(
    request: IncomingMessage,
    response: ServerResponse,
    site: SiteRequest,
    file: KnownFile,
  ): Promise<SiteResponse> {
    const answered = respond(request, response, site, file);
    return 'headers' in answered ? stream(request, response, site, file, answered) : answered;
  }

  function serveKnown(
    request: IncomingMessage,
    response: ServerResponse,
    site: SiteRequest,
  ): SiteResponse | null {
    const file = cache.get(site.root, site.version, site.path);
    if (file === undefined || (file.body === null && file.size > 0)) return null;
    const answered = respond(request, response, site, file);
    return 'headers' in answered ? null : answered;
  }

  /** Status and headers of a body that is read later. */
  function respond(
    request: IncomingMessage,
    response: ServerResponse,
    site: SiteRequest,
    file: KnownFile,
  ): SiteResponse | Beginning {
    const withBody = request.method === 'GET';
    const verdict = judge(request.headers, file, withBody);
    if (verdict === 304 || verdict === 412 || verdict === 416) {
      response.writeHead(verdict, bodilessHeaders(file, verdict, site.headers)).end();
      return { status: verdict, isPage: file.isPage };
    }
    const range = verdict === 200 ? null : verdict;
    const status = range === null ? 200 : 206;
    const headers = responseHeaders(file, range, site.headers);
    if (!withBody || file.size === 0) {
      response.writeHead(status, headers).end();
    } else if (file.body === null) {
      return { status, headers, range };
    } else if (range === null) {
      response.writeHead(status, headers);
      if (file.text === null) response.end(file.body);
      else response.end(file.text, 'latin1');
    } else {
      response.writeHead(status, headers);
      response.end(file.body.subarray(range.start, range.end));
    }
    return { status, isPage: file.isPage };
  }

  async function stream(
    request: IncomingMessage,
    response: ServerResponse,
    site: SiteRequest,
    file: KnownFile,
    head: Beginning,
  ): Promise<SiteResponse> {
    const handle = await reopen(file.realPath);
    if (handle === null) return refuse(request, response, 404, site.headers);
    try {
      const { start, end } = head.range ?? { start: 0, end: file.size };
      response.writeHead(head.status, head.headers);
      await streams.send(response, handle, start, end);
    } finally {
      await handle.close();
    }
    return { status: head.status, isPage: file.isPage };
  }

  return { serve, serveKnown, drop: cache.drop };
}

function cacheKey(path: SitePath): string {
  const plain = path.relative === '' ? '/' : `/${path.relative}${path.directory ? '/' : ''}`;
  return /[%?]/.test(plain) ? `\0${plain}` : plain;
}

function indexesOf(path: SitePath, primary: string): string[] {
  if (path.relative !== '') return [`${path.relative}/index.html`];
  // From the manifest, unless it is a file that is never served.
  const named = readSitePath(encodeURIComponent(primary));
  const own = named === 400 || named === 404 || named.relative === '' ? [] : [named.relative];
  return [...new Set([...own, 'index.html'])];
}

function redirect(
  request: IncomingMessage,
  response: ServerResponse,
  path: SitePath,
  extra: Record<string, string> | undefined,
): SiteResponse {
  const url = request.url ?? '';
  const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
  // Relative, to work under any prefix; "./", so that no name is parsed as a scheme or host.
  const headers = { ...extra, Location: `./${path.lastRaw}/${query}`, 'Cache-Control': 'no-cache' };
  response.writeHead(308, { ...headers, 'Content-Length': '0' }).end();
  return { status: 308, isPage: false };
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: 400 | 404 | 405,
  extra: Record<string, string> | undefined,
): SiteResponse {
  const body = `${STATUS_CODES[status]}\n`;
  response.writeHead(status, {
    ...extra,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-cache',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
  return { status, isPage: false };
}
