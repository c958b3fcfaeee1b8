// Visitors' requests and sockets to the applications that run on demand.
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createProxyServer } from 'httpxy';
import type { Logger } from 'pino';
import type { Caller } from '../auth/authenticator.ts';
import type { ApplicationEngine } from '../runtime/engines/index.ts';
import { wentAway } from '../runtime/unavailable.ts';
import type { Lease, Pool } from '../runtime/workers/pool.ts';
import type { Scheduling } from '../runtime/workers/scheduling.ts';
import type { Connections } from './connections.ts';
import { fixAnswer, prepareHeaders } from './headers.ts';
import type { ShinySockets } from './shiny-sockets.ts';
import { untilGone } from './until-gone.ts';

/** One request of an admitted visitor to an application. */
export interface Visit {
  readonly contentGuid: string;
  readonly engine: ApplicationEngine;
  readonly pool: Pool;
  readonly scheduling: () => Scheduling;
  readonly caller: Caller | null;
  readonly groups: readonly string[];
  /** Address of the content as its visitors see it, without a slash at the end. */
  readonly url: string;
  readonly remoteAddress: string;
  /** Path behind the content's own, with the query. */
  readonly path: string;
  /** @throws when the visitor may not be here any more. */
  readonly check: () => Promise<unknown>;
}

export interface ApplicationProxy {
  /** @throws Unavailable before anything was answered. */
  handle(request: IncomingMessage, response: ServerResponse, visit: Visit): Promise<void>;
  /** @throws Unavailable before anything was answered. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, visit: Visit): Promise<void>;
}

/** Documents in directories have both beside them. */
const SCRIPT_PATH = /\/__pressroom__\/shiny-session\.js$/;
const SCRIPT = readFileSync(join(import.meta.dirname, 'shiny-session.js'));
const SHINY_SOCKET = /\/websocket\/$/;

export function createApplicationProxy(
  connections: Connections,
  sockets: ShinySockets,
  log: Logger,
): ApplicationProxy {
  const proxy = createProxyServer();
  const visible = new WeakMap<IncomingMessage, string>();
  proxy.on('proxyRes', (answer, request) => fixAnswer(answer.headers, visible.get(request)!));

  /** Where a request goes, and what it does to the places: see `Pool`. */
  async function placeFor({ engine, pool, path }: Visit, isPage: boolean, gone: AbortSignal): Promise<Lease> {
    if (!engine.sessions) return pool.acquire(gone);
    const token = /^\/session\/([^/?]+)\//.exec(path)?.[1];
    const process = sockets.processOf(token ?? '');
    const own = process === undefined ? null : pool.join(process);
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
      // Only pages open sockets; the files that belong to one must not be refused once it is there.
      const isPage = /\btext\/html\b/.test(request.headers.accept ?? '');
      const lease = await placeFor(visit, isPage, untilGone(response));
      if (response.destroyed) {
        lease.release();
        return;
      }
      prepareHeaders(request.headers, visit);
      visible.set(request, visit.url);
      request.url = path;
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
      await forward(request, response, lease);
    },

    async upgrade(request, socket, head, visit) {
      const { engine, pool, path } = visit;
      const [pathname = '', query = ''] = path.split('?', 2);
      if (engine.sessions && SHINY_SOCKET.test(pathname)) {
        await sockets.open(request, socket, head, visit, new URLSearchParams(query));
        return;
      }
      const gone = untilGone(socket);
      const lease = await pool.acquire(gone);
      if (gone.aborted) {
        lease.release();
        return;
      }
      prepareHeaders(request.headers, visit);
      request.url = path;
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
      await proxy
        .ws(request, client, { target: targetOf(lease), agent: false }, head)
        .catch((error: unknown) => {
          log.debug(error, 'socket to an application');
          client.destroy();
        });
    },
  };

  /** Settles once the answer has begun or the visitor is gone. */
  async function forward(request: IncomingMessage, response: ServerResponse, lease: Lease): Promise<void> {
    try {
      await proxy.web(request, response, { target: targetOf(lease), agent: lease.worker.agent });
    } catch (error) {
      if (response.headersSent || response.destroyed) {
        response.destroy();
        return;
      }
      log.debug(error, 'request to an application');
      throw wentAway();
    }
  }
}

function targetOf({ worker: { address } }: Lease) {
  return 'socketPath' in address ? { socketPath: address.socketPath, host: 'localhost' } : address;
}
