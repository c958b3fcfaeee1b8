// Proxies requests and WebSockets of visitors to applications.
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { PROCESS_COOKIE } from '../../http/cookie-names.ts';
import { readCookie } from '../../http/read-cookie.ts';
import { errnoOf } from '../../platform/errors.ts';
import type { Lease } from '../../runtime/pool/pool.ts';
import { invalidResponse, clientDisconnected, tooBusy, type Unavailable } from '../../runtime/unavailable.ts';
import { networkOf } from '../../sign-in/throttle.ts';
import type { Connections } from './connections.ts';
import { forwardSocket } from './forward-socket.ts';
import { forward, hasJustEnded, InvalidResponse, replaceDeaf } from './forward.ts';
import { prepareHeaders } from './headers.ts';
import { readAhead } from './read-ahead.ts';
import type { ShinySockets } from './shiny-sockets.ts';
import { untilGone } from './until-gone.ts';
import type { Visit } from './visit.ts';

export interface ApplicationProxy {
  /** @throws Unavailable before anything was answered. */
  handle(request: IncomingMessage, response: ServerResponse, visit: Visit): Promise<void>;
  /** @throws Unavailable before anything was answered. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, visit: Visit): Promise<void>;
}

/** Documents in subdirectories have it next to them. */
const SCRIPT_PATH = /\/__pressroom__\/shiny-session\.js$/;
const SCRIPT = readFileSync(join(import.meta.dirname, 'shiny-session.js'));
/** Where pages report script errors. */
export const SCRIPT_ERROR_PATH = /\/__pressroom__\/script-error$/;
export const SHINY_SOCKET = /\/websocket\/$/;
/** Files, uploads and downloads of a Shiny session. */
export const TOKEN_PATH = /^\/session\/([^/?]+)\//;

export function createApplicationProxy(
  connections: Connections,
  sockets: ShinySockets,
  log: Logger,
): ApplicationProxy {
  /** Visitors' request bodies in transfer that hold a slot. */
  const uploads = new Map<string, number>();

  /**
   * Waits for the body before a slot is taken; for a long body, until it has started. A visitor's long ones get at most
   * a quarter of the slots. @throws Unavailable
   */
  async function beginBody(
    request: IncomingMessage,
    response: ServerResponse,
    visit: Visit,
  ): Promise<Buffer[]> {
    if (!hasBody(request)) return [];
    const begun = await readAhead(request).catch((error: unknown) => {
      log.debug(error, 'body of a request');
      throw clientDisconnected();
    });
    if (request.complete) return begun;
    const key = `${visit.contentGuid} ${networkOf(visit.remoteAddress)}`;
    const count = uploads.get(key) ?? 0;
    const { maxProcesses, maxConnections } = visit.scheduling();
    if (count >= Math.max(1, (maxProcesses * maxConnections) / 4)) throw tooBusy();
    uploads.set(key, count + 1);
    let isOver = false;
    const over = () => {
      if (isOver) return;
      isOver = true;
      const left = (uploads.get(key) ?? 1) - 1;
      if (left > 0) uploads.set(key, left);
      else uploads.delete(key);
    };
    request.once('end', over).once('close', over);
    // A request that was answered early neither ends nor closes when its visitor leaves.
    response.once('close', over);
    return begun;
  }

  /** A visitor may have lost access while the body came, or a process started. @throws ApiError */
  async function requireAccess({ check }: Visit, since: number): Promise<void> {
    for (let seen = since; seen !== connections.rechecks;) {
      seen = connections.rechecks;
      await check();
    }
  }

  /** @throws ApiError; frees the place */
  async function requireStill(visit: Visit, lease: Lease, since: number): Promise<void> {
    try {
      await requireAccess(visit, since);
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  /** Chooses the slot of a request: see `Pool`. */
  async function placeFor(
    { engine, pool, path }: Visit,
    isPage: boolean,
    before: string | null,
    gone: AbortSignal,
  ): Promise<Lease> {
    if (engine.remembersVisitors && !isPage) return pool.join(before ?? '') ?? pool.any(gone);
    if (!engine.sessions) return pool.acquire(gone, before);
    const token = TOKEN_PATH.exec(path)?.[1];
    // Only the process that created a page knows its package files.
    const process = sockets.processOf(token ?? '') ?? (isPage ? null : before);
    const own = process === null ? null : pool.join(process);
    return own ?? (isPage ? pool.acquire(gone) : pool.any(gone));
  }

  return {
    async handle(request, response, visit) {
      const { engine, path } = visit;
      if (engine.sessions && SCRIPT_PATH.test(path)) {
        response.writeHead(200, {
          'Content-Type': 'text/javascript; charset=utf-8',
          'Cache-Control': 'no-cache',
          'Content-Length': SCRIPT.length,
        });
        response.end(SCRIPT);
        return;
      }
      if (engine.sessions && SCRIPT_ERROR_PATH.test(path)) {
        // Counted while there is a canary (`CanaryVisits`).
        response.writeHead(204).end();
        return;
      }
      const isPage = asksForPage(request);
      const since = connections.rechecks;
      const begun = await beginBody(request, response, visit);
      // No process starts for content that was deleted meanwhile.
      await requireAccess(visit, since);
      const before = processIn(request, visit);
      const gone = untilGone(response);
      // Of a longer body, a part is lost with the process that it was sent to.
      const isWhole = !hasBody(request) || request.readableEnded;
      let lease = await placeFor(visit, isPage, before, gone);
      await requireStill(visit, lease, since);
      if (response.destroyed) {
        lease.release();
        return;
      }
      prepareHeaders(request.headers, visit);
      const client = request.socket;
      const [readBefore, writtenBefore] = [client.bytesRead, client.bytesWritten];
      const remove = connections.add({
        contentGuid: visit.contentGuid,
        scheduling: visit.scheduling,
        check: visit.check,
        bytesIn: () => client.bytesRead - readBefore,
        bytesOut: () => client.bytesWritten - writtenBefore,
        end: () => response.destroy(),
      });
      response.once('close', () => {
        remove();
        const opensSocket =
          engine.sessions && isPage && request.method === 'GET' && response.statusCode === 200;
        if (opensSocket && response.writableFinished) lease.reserve();
        else lease.release();
      });
      const { url, isAlone, policy } = visit;
      const marks = engine.remembersVisitors || engine.sessions;
      const earlier = response.getHeader('set-cookie') ?? [];
      const send = () => {
        const { key } = lease.worker;
        const cookies = [
          ...(Array.isArray(earlier) ? earlier : [String(earlier)]),
          ...(marks && isPage && before !== key ? [processCookie(key, url)] : []),
        ];
        const isPersonal = visit.caller !== null;
        return forward(request, response, lease, { path, begun, url, isAlone, policy, cookies, isPersonal });
      };
      const fail = (error: unknown) => {
        replaceDeaf(lease, error);
        if (response.headersSent || response.destroyed) {
          response.destroy();
          return;
        }
        log.debug(error, 'request to an application');
        throw failureOf(error);
      };
      try {
        await send();
      } catch (error) {
        if (!isWhole || response.destroyed || !(await hasJustEnded(lease, error))) return fail(error);
        lease.release();
        await requireAccess(visit, since);
        lease = await placeFor(visit, isPage, before, gone);
        await requireStill(visit, lease, since);
        if (response.destroyed) lease.release();
        else await send().catch(fail);
      }
    },

    async upgrade(request, socket, head, visit) {
      const { engine, path } = visit;
      const [pathname = '', query = ''] = path.split('?', 2);
      if (engine.sessions && SHINY_SOCKET.test(pathname)) {
        await sockets.open(request, socket, head, visit, new URLSearchParams(query));
        return;
      }
      const gone = untilGone(socket);
      const since = connections.rechecks;
      const before = processIn(request, visit);
      const take = async () => {
        const taken = await visit.pool.acquire(gone, before);
        await requireStill(visit, taken, since);
        return taken;
      };
      let lease = await take();
      if (gone.aborted) {
        lease.release();
        return;
      }
      prepareHeaders(request.headers, visit);
      const client = socket as Socket;
      const remove = connections.add({
        contentGuid: visit.contentGuid,
        scheduling: visit.scheduling,
        check: visit.check,
        bytesIn: () => client.bytesRead,
        bytesOut: () => client.bytesWritten,
        end: () => client.destroy(),
      });
      client.once('close', () => {
        remove();
        lease.release();
      });
      const { url, isAlone, policy } = visit;
      const send = () => forwardSocket(request, client, head, lease, { path, url, isAlone, policy });
      const fail = (error: unknown) => {
        replaceDeaf(lease, error);
        log.debug(error, 'socket to an application');
        throw failureOf(error);
      };
      try {
        await send();
      } catch (error) {
        if (client.destroyed || !(await hasJustEnded(lease, error))) return fail(error);
        lease.release();
        lease = await take();
        if (client.destroyed) lease.release();
        else await send().catch(fail);
      }
    },
  };
}

/** Errors of the parsers of Node.js and undici tell that a response came. */
function failureOf(error: unknown): Unavailable {
  const code = errnoOf(error) ?? '';
  const isNotHttp = code.startsWith('HPE_') || (error instanceof Error && error.name === 'HTTPParserError');
  const isInvalid = isNotHttp || error instanceof InvalidResponse;
  return isInvalid || code === 'UND_ERR_HEADERS_OVERFLOW' ? invalidResponse() : clientDisconnected();
}

function hasBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  return length !== '0' || coding !== undefined;
}

/** Only pages open sockets; files of an open page must not be refused. */
export function asksForPage({ headers }: IncomingMessage): boolean {
  return /\btext\/html\b/.test(headers.accept ?? '');
}

/** The process that served the visitor's page; looked up only among those of this content. */
function processIn({ headers }: IncomingMessage, { engine }: Visit): string | null {
  return engine.remembersVisitors || engine.sessions ? readCookie(headers.cookie, PROCESS_COOKIE) : null;
}

function processCookie(key: string, url: string): string {
  const { pathname, protocol } = new URL(url);
  const secure = protocol === 'https:' ? '; Secure' : '';
  return `${PROCESS_COOKIE}=${key}; Path=${pathname}; HttpOnly; SameSite=Lax${secure}`;
}
