// Where other servers of the database connect. A connection needs proof of the shared secret; this port serves no
// visitors, and no page of content has this origin.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { collectBytes } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import { closeIdle } from '../http/close-idle.ts';
import { addressOf, splitAddress } from '../http/listen-address.ts';
import { isObject } from '../platform/is-object.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { NODE_HEADER } from './cluster.ts';
import { clusterKeys } from './secure.ts';

/** Calls that other servers may make by name; responses are JSON. */
export type Calls = Readonly<
  Record<string, (values: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<unknown>>
>;

export interface ClusterHandlers {
  readonly calls: Calls;
  /** A visit forwarded by another server to a process here. Always answers. */
  visit(request: IncomingMessage, response: ServerResponse): Promise<void>;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
}

export interface ClusterListener extends AsyncDisposable {
  readonly port: number;
}

export interface ClusterListenerOptions {
  readonly secrets: Secrets;
  readonly node: string;
  readonly log: Logger;
  /** Milliseconds that requests under way get at shutdown. */
  readonly patience: number;
}

/** Twice the limit of a visitor's own headers, and the headers about them. */
const HEADER_BYTES = 160 * 1024;
const HANDSHAKE_MS = 5000;
/** Maximum connections, unauthenticated ones included. */
const MAX_CONNECTIONS = 20_000;
const MAX_CALL_BYTES = 64 * 1024;

/** @param address as in the setting. @throws if it is in use, or not of this machine. */
export async function listenForServers(
  address: string,
  { secrets, node, log, patience }: ClusterListenerOptions,
  { calls, visit, upgrade }: ClusterHandlers,
): Promise<ClusterListener> {
  const options = {
    ...clusterKeys(secrets).listening,
    handshakeTimeout: HANDSHAKE_MS,
    maxHeaderSize: HEADER_BYTES,
    keepAliveTimeout: 72_000,
    requestTimeout: 0,
  };
  const sockets = new Set<TLSSocket>();
  const upgraded = new Set<Duplex>();
  const isForUs = (request: IncomingMessage) => request.headers[NODE_HEADER] === node;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = /^\/call\/([a-z]+)$/.exec(request.url ?? '')?.[1];
    if (name === undefined) return visit(request, response);
    const call = Object.hasOwn(calls, name) ? calls[name] : undefined;
    if (!call || request.method !== 'POST') return end(response, 404);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const answered = JSON.stringify((await call(await readValues(request), gone.signal)) ?? null);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(answered);
  }

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    if (!isForUs(request)) {
      end(response, 421, { [NODE_HEADER]: node });
      return;
    }
    respond(request, response).catch((error: unknown) => {
      log.error(error, 'request of another server');
      end(response, 500);
    });
  }

  const server = createServer(options, onRequest)
    // The visit handler sends `100 Continue` itself.
    .on('checkContinue', onRequest)
    .on('secureConnection', (socket) => {
      sockets.add(socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket)));
    })
    .on('tlsClientError', (error, socket) => {
      log.warn({ from: socket.remoteAddress, err: error }, 'refused a connection that is not of our servers');
      socket.destroy();
    })
    .on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (!isForUs(request))
        socket.end(
          `HTTP/1.1 421 Misdirected Request\r\nConnection: close\r\n${NODE_HEADER}: ${node}\r\nContent-Length: 0\r\n\r\n`,
        );
      else {
        upgraded.add(socket.once('close', () => upgraded.delete(socket)));
        void upgrade(request, socket, head);
      }
    });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(splitAddress(address));
  await once(server, 'listening');
  return {
    port: addressOf(server).port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      using _idle = closeIdle(server);
      for (const socket of upgraded) socket.destroy();
      const cut = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, patience);
      await closed;
      clearTimeout(cut);
    },
  };
}

function end(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(status, { ...headers, 'Content-Length': 0 }).end();
}

/** @throws if the body is not a JSON object. */
async function readValues(request: IncomingMessage): Promise<Record<string, unknown>> {
  const bytes = await collectBytes(request as AsyncIterable<Buffer>, MAX_CALL_BYTES);
  if (bytes === null) throw new Error('the call is too large');
  const values: unknown = JSON.parse(bytes.toString('utf8'));
  if (!isObject(values)) throw new Error('the call has no values');
  return values;
}
