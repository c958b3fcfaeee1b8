// Proxies one request to an application. Whatever the application sends, the visitor gets a complete response, an error
// or a broken connection, and nothing reaches anybody else.
import {
  request as openRequest,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { endsWithin } from '../../platform/ends-within.ts';
import { errnoOf } from '../../platform/errors.ts';
import type { Lease } from '../../runtime/pool/pool.ts';
import { responseHeaders, type Seen } from './response-headers.ts';
import { GONE } from './until-gone.ts';

export interface Forwarded extends Seen {
  readonly path: string;
  /** The part of the body read before a slot was taken. */
  readonly begun: readonly Buffer[];
}

/** Of repeated ones, the first counts (as in Node). */
const SINGLE = new Set([
  'age',
  'authorization',
  'content-length',
  'content-type',
  'etag',
  'expires',
  'from',
  'host',
  'if-modified-since',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'proxy-authorization',
  'referer',
  'retry-after',
  'server',
  'user-agent',
]);

/** The process runs, but its response cannot be passed on. */
export class InvalidResponse extends Error {
  override readonly name = 'InvalidResponse';
}

/** How to reach the process of a lease, as options of Node's `request`. */
export function routeTo({ worker: { address } }: Lease) {
  return 'socketPath' in address ? { socketPath: address.socketPath } : address;
}

/** Whether the process does not listen any more, and so has received nothing. */
function isRefused(error: unknown): boolean {
  return errnoOf(error) === 'ECONNREFUSED';
}

/** Replaces a process that has stopped listening without ending. */
export function replaceDeaf({ worker }: Lease, error: unknown): void {
  if (isRefused(error)) worker.refused();
}

/** Milliseconds in which the end of a process that does not listen any more is known. */
const ENDING_MS = 1000;

/**
 * Whether the process has received nothing and has ended: without connections, it is the first choice until its end is
 * known. One that only refuses connections is replaced.
 */
export async function hasJustEnded(lease: Lease, error: unknown): Promise<boolean> {
  replaceDeaf(lease, error);
  return isRefused(error) && endsWithin(lease.worker.ended, ENDING_MS);
}

/**
 * Settles once the response is sent or the visitor is gone.
 * @throws before anything was answered, if the application's output is no valid response; an error that `isRefused` only
 * if the application received nothing.
 */
export function forward(
  request: IncomingMessage,
  response: ServerResponse,
  lease: Lease,
  forwarded: Forwarded,
): Promise<void> {
  const { headers, method = 'GET' } = request;
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (hasBody || !SAFE.has(method)) return sendOnce(request, response, lease, forwarded);
  return ask(request, response, lease, forwarded).catch((error: unknown) => {
    if (!isClosed(error) || response.headersSent || response.destroyed) throw error;
    return sendOnce(request, response, lease, forwarded).catch((second: unknown) => {
      replaceDeaf(lease, second);
      // It may have received the first one, and have ended because of it.
      throw isRefused(second) ? error : second;
    });
  });
}

/** Safe methods, which may be repeated (RFC 9110, 9.2.2). */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** An application may close a kept-alive connection just as it is used. */
function isClosed(error: unknown): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(errnoOf(error) ?? '');
}

/** Over a kept-alive connection. */
function ask(
  { headers, method = 'GET' }: IncomingMessage,
  response: ServerResponse,
  { worker: { dispatcher } }: Lease,
  { path, ...seen }: Forwarded,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let upstream: Dispatcher.DispatchController | null = null;
  response.once('close', () => {
    // Does nothing if the response is complete.
    upstream?.abort(GONE);
    resolve();
  });
  dispatcher.dispatch(
    { path, method: method as Dispatcher.HttpMethod, headers: requestHeaders(headers) },
    {
      onRequestStart(controller) {
        upstream = controller;
        if (response.destroyed) controller.abort(GONE);
      },
      onResponseStart(_controller, status, answered) {
        // Informational responses are for this server.
        if (status < 200) return;
        begin(response, status, asNodeHas(answered), seen);
      },
      onResponseData(controller, chunk) {
        if (response.write(chunk)) return;
        controller.pause();
        response.once('drain', () => controller.resume());
      },
      onResponseEnd() {
        response.end();
      },
      onResponseError(_controller, error) {
        if (response.headersSent) response.destroy();
        reject(error);
      },
    },
  );
  return promise;
}

/**
 * Over a separate connection: a kept-alive one may be closing, or contain excess output, and requests with a body or
 * side effects cannot be repeated.
 */
function sendOnce(
  request: IncomingMessage,
  response: ServerResponse,
  lease: Lease,
  { path, begun, ...seen }: Forwarded,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const { headers, method } = request;
  const out = openRequest({
    createConnection: () => connect(lease),
    method: method ?? 'GET',
    path,
    headers: requestHeaders(headers),
    setHost: false,
  });
  let answered: IncomingMessage | null = null;
  const fail = (error: unknown) => {
    out.destroy();
    if (response.headersSent) response.destroy();
    reject(error instanceof Error ? error : new Error(String(error)));
  };
  out.on('error', fail);
  out.on('close', () => {
    if (answered === null) fail(new Error('the application closed the connection'));
  });
  out.on('upgrade', (_answer, socket) => {
    socket.destroy();
    fail(new InvalidResponse('the application changed the protocol'));
  });
  out.on('response', (upstream) => {
    answered = upstream;
    try {
      begin(response, upstream.statusCode ?? 0, upstream.headers, seen);
    } catch (error) {
      upstream.destroy();
      fail(error);
      return;
    }
    upstream.on('error', fail);
    upstream.on('close', () => {
      if (!upstream.complete) fail(new Error('the response of the application broke off'));
    });
    upstream.pipe(response);
  });
  response.once('close', () => {
    // An application may answer early, and wait for the rest of the body.
    if (!answered?.complete || !out.writableFinished) out.destroy();
    // The rest of the body is discarded.
    request.unpipe(out);
    request.resume();
    resolve();
  });
  // In one write if complete.
  if (request.readableEnded) out.end(Buffer.concat(begun));
  else {
    for (const chunk of begun) out.write(chunk);
    pipeBody(request, out);
  }
  return promise;
}

function connect({ worker: { address } }: Lease): Socket {
  const socket = new ReadingSocket().setNoDelay();
  return socket.connect('socketPath' in address ? { path: address.socketPath } : address);
}

/**
 * Still read when writing fails: an application may answer and close before it has read the body, and then its response
 * would be discarded.
 */
class ReadingSocket extends Socket {
  override _write(chunk: unknown, encoding: BufferEncoding, done: Done): void {
    super._write(chunk, encoding, unlessClosed(done));
  }

  override _writev(chunks: Chunks, done: Done): void {
    super._writev?.(chunks, unlessClosed(done));
  }
}

type Done = (error?: Error | null) => void;
type Chunks = Parameters<NonNullable<Socket['_writev']>>[0];

function unlessClosed(done: Done): Done {
  return (error) => done(isClosed(error) ? null : error);
}

/** @throws InvalidResponse */
function begin(response: ServerResponse, status: number, headers: IncomingHttpHeaders, seen: Seen): void {
  if (status < 200 || status > 599) throw new InvalidResponse(`the application answered with ${status}`);
  // The application's reason phrase is not passed on.
  const passed = responseHeaders(headers, seen);
  // Not allowed there (RFC 9110, 8.6): some proxies in front would wait for a body.
  if (status === 204) delete passed['content-length'];
  response.writeHead(status, passed);
}

function pipeBody(request: IncomingMessage, out: ClientRequest): void {
  request.pipe(out);
  request.once('close', () => {
    if (!request.complete) out.destroy();
  });
}

/** Connection-specific headers. */
export const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'expect',
]);

/** The visitor's headers, without those for this server. */
export function requestHeaders(headers: IncomingMessage['headers']): Record<string, string | string[]> {
  const result: Record<string, string | string[]> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !HOP_BY_HOP.has(name)) result[name] = value;
  }
  if (headers['transfer-encoding'] !== undefined) {
    delete result['content-length'];
    result['transfer-encoding'] = 'chunked';
  }
  return result;
}

/** Converts undici's headers to the form of Node's own client. */
function asNodeHas(headers: Readonly<Record<string, string | string[] | undefined>>): IncomingHttpHeaders {
  const result: IncomingHttpHeaders = {};
  for (const name in headers) {
    const value = headers[name];
    if (name === 'set-cookie') result[name] = [value ?? []].flat();
    else if (Array.isArray(value)) result[name] = SINGLE.has(name) ? value[0] : value.join(', ');
    else result[name] = value;
  }
  return result;
}
