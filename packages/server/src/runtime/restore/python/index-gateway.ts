// A gateway to password-protected package indexes for installers, which never see the password: code of packages runs
// next to them.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { readLimited } from '../../../platform/read-limited.ts';
import type { Fetch } from '../guarded-fetch.ts';
import type { PackageSource } from '../package-source.ts';

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

interface Opened {
  readonly source: PackageSource;
  readonly origin: string;
  /** Its path, with a slash at the end. */
  readonly above: string;
}

const MAX_PAGE = 16 * 2 ** 20;
/** Prefix of addresses on other hosts, followed by the address in base64 and the file name. */
const ELSEWHERE = '/_elsewhere/';

/** Milliseconds of work before the event loop gets a turn. */
const BREATH_MS = 10;
const HREF = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;

/** Where links of a page lead. */
interface Links {
  /** Replaces the origin of the index. */
  readonly base: string;
  /** Of the index; null for a page elsewhere, which must not open anything of the index. */
  readonly origin: string | null;
  /** Whether content named the index: an installer would request any address. */
  readonly isOwn: boolean;
  /** The path here of a path of the index. */
  pathOf(place: string): string;
}

/**
 * Rewrites the links of an index page to this gateway. The page is untrusted; yields to the event loop.
 * @param at address of the page
 */
async function throughHere(page: string, at: URL, links: Links): Promise<string> {
  const text = page.replaceAll(/<base\b/gi, '<x');
  const parts: string[] = [];
  let [done, since] = [0, performance.now()];
  for (const { 0: all, 1: double, 2: single, 3: bare, index } of text.matchAll(HREF)) {
    const link = (double ?? single ?? bare ?? '').replaceAll('&amp;', '&');
    parts.push(text.slice(done, index), `href="${linkHere(link, at, links)}"`);
    done = index + all.length;
    if (performance.now() - since < BREATH_MS) continue;
    await setImmediate();
    since = performance.now();
  }
  return parts.join('') + text.slice(done);
}

function linkHere(link: string, at: URL, { base, origin, isOwn, pathOf }: Links): string {
  const to = URL.canParse(link, at.href) ? new URL(link, at) : at;
  const [rest, fragment] = [`${to.pathname}${to.search}`, to.hash];
  if (to.origin === origin) return `${base}${plain(pathOf(rest) + fragment)}`;
  if (!isOwn) return plain(to.href);
  const packed = Buffer.from(`${to.origin}${rest}`).toString('base64url');
  const name = to.pathname.split('/').findLast(Boolean) ?? '';
  return `${base}${ELSEWHERE}${packed}/${plain(name + fragment)}`;
}

const plain = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '%22');

/** Null for a path of the index itself. */
function linkedFrom(path: string): URL | null {
  const [, packed = ''] = /^\/_elsewhere\/([\w-]+)\//.exec(path) ?? [];
  const address = Buffer.from(packed, 'base64url').toString();
  return /^https?:\/\//.test(address) && URL.canParse(address) ? new URL(address) : null;
}

/** Some servers decode a slash, and then follow the dots beside it. */
const HIDDEN_SLASH = /%2f|%5c/i;

/** @param above path of an index, with a slash at its end */
function isBelow(above: string, place: string): boolean {
  const path = place.replace(/\?.*/, '');
  return `${path}/` === above || (path.startsWith(above) && !HIDDEN_SLASH.test(path.slice(above.length)));
}

/** Installers read a description beside each file. */
const DESCRIPTION = /\.metadata(?=$|\?)/;
const PROOF = /^\/_linked\/([\w-]{43})(?=\/)/;

/** The address of a file as its index has it. */
export function withoutProof(text: string): string {
  return text.replaceAll(/\/_linked\/[\w-]{43}(?=\/)/g, '');
}

/**
 * With its password, an index is read below its own address, and where its pages link to: the same host may have much
 * else that the password opens.
 * @param host local address at which installers reach it
 * @param guarded requests addresses given by content or its pages
 */
export function createIndexGateway(guarded: Fetch, host = '127.0.0.1'): IndexGateway {
  const opened = new Map<string, Opened>();
  const secret = randomBytes(32);
  let listening: Promise<Server> | undefined;

  /** Lives as long as this process without keeping it alive. */
  async function listen(): Promise<Server> {
    const server = createServer((request, response) => {
      respond(request, response).catch(() => response.destroy());
    });
    await once(server.listen(0, host), 'listening');
    return server.unref();
  }

  const proofOf = (token: string, place: string) =>
    createHmac('sha256', secret).update(`${token} ${place}`).digest('base64url');

  /** Null for a path that is neither of the index nor linked by it. */
  function placeAt(token: string, { origin, above }: Opened, path: string): string | null {
    const [start = '', proof] = PROOF.exec(path) ?? [];
    const { pathname, search } = new URL(`${origin}${path.slice(start.length)}`);
    const place = `${pathname}${search}`;
    if (proof === undefined) return isBelow(above, place) ? place : null;
    const wanted = proofOf(token, place.replace(DESCRIPTION, ''));
    return timingSafeEqual(Buffer.from(proof), Buffer.from(wanted)) ? place : null;
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, token = '', path = ''] = /^\/([\w-]+)(\/.*)$/.exec(request.url ?? '') ?? [];
    const index = opened.get(token);
    if (index === undefined || (request.method !== 'GET' && request.method !== 'HEAD'))
      return void response.writeHead(404).end();
    const { source, origin, above } = index;
    const elsewhere = source.isOwn ? linkedFrom(path) : null;
    const place = elsewhere === null ? placeAt(token, index, path) : null;
    const target = elsewhere ?? (place === null ? null : new URL(`${origin}${place}`));
    if (target === null) return void response.writeHead(404).end();
    const { range } = request.headers;
    const ask: Fetch = source.isOwn ? guarded : fetch;
    const found = await ask(target, {
      method: request.method,
      // JSON pages have too many places with addresses.
      headers: {
        Accept: 'text/html, */*;q=0.1',
        'Accept-Encoding': 'identity',
        ...(source.authorization !== null && place !== null && { Authorization: source.authorization }),
        ...(range !== undefined && { Range: range }),
      },
    }).catch(() => null);
    if (found === null) return void response.writeHead(502).end();
    const type = found.headers.get('content-type') ?? '';
    const headers: Record<string, string> = { 'Content-Type': type };
    if (/\bhtml\b/.test(type) && request.method === 'GET') {
      const page = await readLimited(found, MAX_PAGE);
      if (page === null) return void response.writeHead(502).end();
      const here = await throughHere(page, target, {
        base: `/${token}`,
        origin: place === null ? null : origin,
        isOwn: source.isOwn === true,
        pathOf: (linked) => (isBelow(above, linked) ? linked : `/_linked/${proofOf(token, linked)}${linked}`),
      });
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
      listening ??= listen();
      listening.catch(() => (listening = undefined));
      const server = await listening;
      const { port } = server.address() as AddressInfo;
      const token = randomBytes(24).toString('base64url');
      const { origin, pathname } = new URL(source.address);
      opened.set(token, { source, origin, above: pathname.replace(/\/?$/, '/') });
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
