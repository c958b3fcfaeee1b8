// A listening HTTP server with limits on connections, headers and bodies.
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Config } from '../main/config/settings.ts';
import { networkOf } from '../sign-in/throttle.ts';
import type { BaseUrl } from './base-url.ts';
import { settleHost } from './settle-host.ts';

export interface EdgeServers extends Disposable {
  create(onRequest: RequestListener, onUpgrade: Upgrade): Server;
}

type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

interface Body {
  readonly request: IncomingMessage;
  bytes: number;
  last: number;
}

const SAMPLE_MS = 1000;
/** Bytes of the request line and all headers. Node returns 431 beyond. */
const HEADER_BYTES = 32 * 1024;
/** Unanswered requests of a connection, or requests in one turn of the event loop. Browsers send one at a time. */
const MAX_CONCURRENT = 32;

/** The created servers share the connection limit. @param now milliseconds of a monotonic clock */
export function createEdgeServers(
  config: Config,
  base: BaseUrl,
  now: () => number = () => performance.now(),
): EdgeServers {
  const { 'HTTP.MaxConnections': most, 'HTTP.MaxConnectionsPerAddress': mostOfOne } = config;
  const bodyMs = config['HTTP.BodyTimeout'] * 1000;
  const connections = new Map<string, number>();
  const bodies = new Set<Body>();
  const unanswered = new WeakMap<Socket, number>();
  let open = 0;

  function count(socket: Socket): void {
    const address = socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
    const network = networkOf(address);
    const ofThis = (connections.get(network) ?? 0) + 1;
    if (open >= most || (ofThis > mostOfOne && !base.isTrusted(address))) {
      socket.destroy();
      return;
    }
    open += 1;
    connections.set(network, ofThis);
    socket.once('close', () => {
      open -= 1;
      const left = (connections.get(network) ?? 1) - 1;
      if (left > 0) connections.set(network, left);
      else connections.delete(network);
    });
  }

  /** False beyond the limit: the connection is closed. Node would start all pipelined requests at once. */
  function admit({ socket }: IncomingMessage, response: ServerResponse): boolean {
    if (socket.destroyed) return false;
    const waiting = (unanswered.get(socket) ?? 0) + 1;
    if (waiting > MAX_CONCURRENT) {
      socket.destroy();
      return false;
    }
    unanswered.set(socket, waiting);
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    return true;
  }

  /**
   * Only bodies in transfer are watched: answers may take their time, and slow uploads are fine as long as bytes
   * arrive.
   */
  function watch(request: IncomingMessage): void {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    if (bodyMs === 0 || (coding === undefined && (length === undefined || length === '0'))) return;
    const body = { request, bytes: request.socket.bytesRead, last: now() };
    bodies.add(body);
    const over = () => void bodies.delete(body);
    request.once('end', over).once('close', over);
  }

  function sample(): void {
    const time = now();
    for (const body of bodies) {
      const { request } = body;
      const { bytesRead } = request.socket;
      // Unread bytes are delayed by the server itself.
      if (bytesRead !== body.bytes || request.readableLength > 0 || request.complete) {
        body.bytes = bytesRead;
        body.last = time;
      } else if (time - body.last > bodyMs) {
        bodies.delete(body);
        request.socket.destroy();
      }
    }
  }

  const sampling = setInterval(sample, SAMPLE_MS).unref();
  const options = {
    keepAliveTimeout: 72_000,
    headersTimeout: config['HTTP.HeaderTimeout'] * 1000,
    // Large uploads over slow connections take hours: see `watch`.
    requestTimeout: 0,
    connectionsCheckingInterval: SAMPLE_MS,
    maxHeaderSize: HEADER_BYTES,
    // Node would return 400 without a body: see `settleHost`.
    requireHostHeader: false,
    // Other upgrades, such as to HTTP/2, are optional and ignored.
    shouldUpgradeCallback: (request: IncomingMessage) => /^websocket$/i.test(request.headers.upgrade ?? ''),
  };
  return {
    create(onRequest, onUpgrade) {
      const handle: RequestListener = (request, response) => {
        if (!admit(request, response)) return;
        watch(request);
        settleHost(request);
        onRequest(request, response);
      };
      // Unknown expectations are ignored: Node would return 417 without a body.
      const server = createServer(options, handle).on('checkExpectation', handle);
      // Connections beyond the limit would otherwise wait unnoticed.
      server.maxConnections = most;
      return server.on('connection', count).on('upgrade', (request, socket, head) => {
        settleHost(request);
        onUpgrade(request, socket, head);
      });
    },
    [Symbol.dispose]: () => clearInterval(sampling),
  };
}
