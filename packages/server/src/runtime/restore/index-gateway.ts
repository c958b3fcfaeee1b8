// Lets installers use a package index that wants a password, without the password: code of packages runs beside them.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PackageSource } from './package-source.ts';

export interface OpenedIndex extends Disposable {
  /** What the installer is given: on an address of this machine, with a word in its path that nobody else knows. */
  readonly address: string;
  /** What all addresses on it begin with, and what stands there for the index itself. */
  readonly base: string;
  readonly origin: string;
}

export interface IndexGateway {
  /** Until it is disposed. */
  open(source: PackageSource): Promise<OpenedIndex>;
}

const MAX_PAGE = 64 * 2 ** 20;

/** @param host where installers reach it: an address of this machine */
export function createIndexGateway(host = '127.0.0.1'): IndexGateway {
  const opened = new Map<string, PackageSource>();
  let listening: Promise<Server> | undefined;

  /** It lives as long as this process, which nothing here keeps alive. */
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
    const target = new URL(path, origin);
    if (target.origin !== origin) return void response.writeHead(404).end();
    const { range } = request.headers;
    const found = await fetch(target, {
      method: request.method,
      // Pages in JSON have more places for addresses than we care to know.
      headers: {
        Accept: 'text/html, */*;q=0.1',
        'Accept-Encoding': 'identity',
        ...(source.authorization !== null && { Authorization: source.authorization }),
        ...(range !== undefined && { Range: range }),
      },
    }).catch(() => null);
    if (found === null) return void response.writeHead(502).end();
    const type = found.headers.get('content-type') ?? '';
    const headers: Record<string, string> = { 'Content-Type': type };
    if (/\bhtml\b/.test(type) && request.method === 'GET') {
      const page = await found.text();
      if (page.length > MAX_PAGE) return void response.writeHead(502).end();
      // Links of this index lead through here, too; others lead where they lead.
      const base = `/${token}`;
      const own = page.replaceAll(/(href\s*=\s*["'])(\/(?!\/))/gi, `$1${base}$2`);
      response.writeHead(found.status, headers).end(own.replaceAll(`${origin}/`, `${base}/`));
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
