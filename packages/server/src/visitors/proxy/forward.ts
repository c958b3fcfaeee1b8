// One request to an application, and its answer. Whatever the application sends, a visitor gets a whole answer, an error
// or a connection that breaks off; nothing of it reaches anybody else.
import {
  request as openRequest,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Dispatcher } from 'undici';
import type { Lease } from '../../runtime/pool/pool.ts';
import { errnoOf } from '../../platform/errors.ts';
import { answerHeaders, type Seen } from './answer-headers.ts';
import { GONE } from './until-gone.ts';

export interface Forwarded extends Seen {
  readonly path: string;
  /** What of the body was read before the place was taken. */
  readonly begun: readonly Buffer[];
}

/** Where it is there more than once, the first counts (node's own rule). */
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

/** How to reach the process of a lease: options of node's `request`. */
export function routeTo({ worker: { address } }: Lease) {
  return 'socketPath' in address ? { socketPath: address.socketPath } : address;
}

/**
 * Settles once the answer is out or the visitor is gone.
 * @throws before anything was answered, when no answer can be made of what the application sent.
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
    return sendOnce(request, response, lease, forwarded);
  });
}

/** What may be asked again, as it changes nothing (RFC 9110, 9.2.2). */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** An application may have closed a connection that was kept just as it was used. */
function isClosed(error: unknown): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(errnoOf(error) ?? '');
}

/** Over a connection that is kept. */
function ask(
  { headers, method = 'GET' }: IncomingMessage,
  response: ServerResponse,
  { worker: { dispatcher } }: Lease,
  { path, ...seen }: Forwarded,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let asked: Dispatcher.DispatchController | null = null;
  response.once('close', () => {
    // Nothing happens when all of the answer was here.
    asked?.abort(GONE);
    resolve();
  });
  dispatcher.dispatch(
    { path, method: method as Dispatcher.HttpMethod, headers: requestHeaders(headers) },
    {
      onRequestStart(controller) {
        asked = controller;
        if (response.destroyed) controller.abort(GONE);
      },
      onResponseStart(_controller, status, answered) {
        // What is said before the answer is for this server.
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
 * Over a connection of its own: a kept one may just be closing, or hold what an application said too much, and what has a
 * body, or changes anything, cannot be asked again.
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
    ...routeTo(lease),
    agent: false,
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
    fail(new Error('the application changed the protocol'));
  });
  out.on('response', (answer) => {
    answered = answer;
    try {
      begin(response, answer.statusCode ?? 0, answer.headers, seen);
    } catch (error) {
      answer.destroy();
      fail(error);
      return;
    }
    answer.on('error', fail);
    answer.on('close', () => {
      if (!answer.complete) fail(new Error('the answer of the application broke off'));
    });
    answer.pipe(response);
  });
  response.once('close', () => {
    // An application may answer early, and wait for the rest of the body.
    if (!answered?.complete || !out.writableFinished) out.destroy();
    // What is still to come of a body is for nobody any more.
    request.unpipe(out);
    request.resume();
    resolve();
  });
  // In one write where all of it is here: a second one fails once an application has answered and closed, and takes the
  // answer along.
  if (request.readableEnded) out.end(Buffer.concat(begun));
  else {
    for (const chunk of begun) out.write(chunk);
    pipeBody(request, out);
  }
  return promise;
}

/** @throws when it is no answer. */
function begin(response: ServerResponse, status: number, headers: IncomingHttpHeaders, seen: Seen): void {
  if (status < 200 || status > 599) throw new Error(`the application answered with ${status}`);
  // The words beside the status are the application's; nobody needs them.
  response.writeHead(status, answerHeaders(headers, seen));
}

function pipeBody(request: IncomingMessage, out: ClientRequest): void {
  request.pipe(out);
  request.once('close', () => {
    if (!request.complete) out.destroy();
  });
}

/** Of one connection only. */
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

/** The visitor's headers, without those that were for us. */
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

/** Headers as undici has them, as node's own client would. */
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
