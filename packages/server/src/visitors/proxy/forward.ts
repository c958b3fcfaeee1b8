// One request to an application, and its answer. Whatever the application sends, a visitor gets a whole answer, an error
// or a connection that breaks off; nothing of it reaches anybody else.
import {
  request as openRequest,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Lease } from '../../runtime/pool/pool.ts';
import { answerHeaders, type Seen } from './answer-headers.ts';

export interface Forwarded extends Seen {
  readonly path: string;
  /** What of the body was read before the place was taken. */
  readonly begun: readonly Buffer[];
}

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
  { path, begun, ...seen }: Forwarded,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const { headers, method } = request;
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  const out = openRequest({
    ...routeTo(lease),
    // A kept connection may just be closing, or hold what an application said too much: what cannot be asked again gets one
    // of its own.
    agent: hasBody ? false : lease.worker.agent,
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
      const { statusCode = 0 } = answer;
      if (statusCode < 200 || statusCode > 599)
        throw new Error(`the application answered with ${statusCode}`);
      // The words beside the status are the application's; nobody needs them.
      response.writeHead(statusCode, answerHeaders(answer.headers, seen));
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
    // Nor can a connection be used again whose request never ends: an application may answer early and wait for it.
    if (!answered?.complete || !out.writableFinished) out.destroy();
    // What is still to come of a body is for nobody any more.
    request.unpipe(out);
    request.resume();
    resolve();
  });
  // In one write where all of it is here: a second one fails once an application has answered and closed, and takes the
  // answer along.
  if (!hasBody || request.readableEnded) out.end(Buffer.concat(begun));
  else {
    for (const chunk of begun) out.write(chunk);
    pipeBody(request, out);
  }
  return promise;
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
