// A gateway to password-protected package indexes for installers, which never see the password: code of packages runs
// next to them.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { readLimited } from '../../platform/read-limited.ts';
import type { Fetch } from './guarded-fetch.ts';
import type { PackageSource } from './package-source.ts';

export interface OpenedIndex extends Disposable {
  /** The address for the installer: local, with a secret in its path. */
  readonly address: string;
  /** Prefix of all its addresses, replaced by the index's own. */
  readonly base: string;
  readonly origin: string;
}

export interface IndexGateway {
  /** Open until disposed. */
  open(source: PackageSource): Promise<OpenedIndex>;
}

const MAX_PAGE = 16 * 2 ** 20;
/** Prefix of addresses on other hosts, followed by the address in base64 and the file name. */
const ELSEWHERE = '/_elsewhere/';

/** Milliseconds of work before the event loop gets a turn. */
const BREATH_MS = 10;
const HREF = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;

/**
 * Rewrites the links of an index page named by content to this gateway: an installer would request any address. The
 * page is untrusted; yields to the event loop.
 * @param at address of the page @param base replacement of its host
 */
async function throughHere(page: string, at: URL, base: string): Promise<string> {
  const text = page.replaceAll(/<base\b/gi, '<x');
  const parts: string[] = [];
  let [done, since] = [0, performance.now()];
  for (const { 0: all, 1: double, 2: single, 3: bare, index } of text.matchAll(HREF)) {
    const link = (double ?? single ?? bare ?? '').replaceAll('&amp;', '&');
    parts.push(text.slice(done, index), `href="${base}${linkHere(link, at)}"`);
    done = index + all.length;
    if (performance.now() - since < BREATH_MS) continue;
    await setImmediate();
    since = performance.now();
  }
  return parts.join('') + text.slice(done);
}

function linkHere(link: string, at: URL): string {
  const to = URL.canParse(link, at.href) ? new URL(link, at) : at;
  const [rest, fragment] = [`${to.pathname}${to.search}`, to.hash];
  if (to.origin === at.origin) return plain(rest + fragment);
  const packed = Buffer.from(`${to.origin}${rest}`).toString('base64url');
  const name = to.pathname.split('/').findLast(Boolean) ?? '';
  return `${ELSEWHERE}${packed}/${plain(name + fragment)}`;
}

const plain = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '%22');

/** Null for a path of the index itself. */
function linkedFrom(path: string): URL | null {
  const [, packed = ''] = /^\/_elsewhere\/([\w-]+)\//.exec(path) ?? [];
  const address = Buffer.from(packed, 'base64url').toString();
  return /^https?:\/\//.test(address) && URL.canParse(address) ? new URL(address) : null;
}

/**
 * @param host local address at which installers reach it
 * @param guarded requests addresses given by content or its pages
 */
export function createIndexGateway(guarded: Fetch, host = '127.0.0.1'): IndexGateway {
  const opened = new Map<string, PackageSource>();
  let listening: Promise<Server> | undefined;

  /** Lives as long as this process without keeping it alive. */
  async function listen(): Promise<Server> {
    const server = createServer((request, response) => {
      answer(request, response).catch(() => response.destroy());
    });
    await once(server.listen(0, host), 'listening');
    return server.unref();
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, token = '', path = ''] = /^\/([\w-]+)(\/.*)$/.exec(request.url ?? '') ?? [];
    const source = opened.get(token);
    if (source === undefined || (request.method !== 'GET' && request.method !== 'HEAD'))
      return void response.writeHead(404).end();
    const { origin } = new URL(source.address);
    const target = (source.isOwn && linkedFrom(path)) || new URL(path, origin);
    const isHere = target.origin === origin;
    if (!isHere && !source.isOwn) return void response.writeHead(404).end();
    const { range } = request.headers;
    const ask: Fetch = source.isOwn ? guarded : fetch;
    const found = await ask(target, {
      method: request.method,
      // JSON pages have too many places with addresses.
      headers: {
        Accept: 'text/html, */*;q=0.1',
        'Accept-Encoding': 'identity',
        ...(source.authorization !== null && isHere && { Authorization: source.authorization }),
        ...(range !== undefined && { Range: range }),
      },
    }).catch(() => null);
    if (found === null) return void response.writeHead(502).end();
    const type = found.headers.get('content-type') ?? '';
    const headers: Record<string, string> = { 'Content-Type': type };
    if (/\bhtml\b/.test(type) && request.method === 'GET') {
      const page = await readLimited(found, MAX_PAGE);
      if (page === null) return void response.writeHead(502).end();
      // Links to this index go through the gateway, too; others are left unchanged.
      const base = `/${token}`;
      const own = page.replaceAll(/(href\s*=\s*["'])(\/(?!\/))/gi, `$1${base}$2`);
      const here = source.isOwn
        ? await throughHere(page, target, base)
        : own.replaceAll(`${origin}/`, `${base}/`);
      response.writeHead(found.status, headers).end(here);
      return;
    }
    for (const name of ['content-length', 'content-range', 'accept-ranges', 'etag']) {
      const value = found.headers.get(name);
      if (value !== null && found.headers.get('content-encoding') === null) headers[name] = value;
    }
    response.writeHead(found.status, headers);
    if (found.body === null || request.method === 'HEAD') response.end();
    else await pipeline(Readable.fromWeb(found.body), response);
  }

  return {
    async open(source) {
      const server = await (listening ??= listen());
      const { port } = server.address() as AddressInfo;
      const token = randomBytes(24).toString('base64url');
      opened.set(token, source);
      const { origin, pathname } = new URL(source.address);
      const base = `http://${host}:${port}/${token}`;
      return {
        address: `${base}${pathname}`,
        base,
        origin,
        [Symbol.dispose]: () => void opened.delete(token),
      };
    },
  };
}
