// The one place where errors become responses: always an APIError (contract, section 2).
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, errors } from '@pressroom/api/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import { diskRefusal } from '../platform/disk-refusal.ts';
import { before } from '../platform/text.ts';
import { endWith } from './last-response.ts';
import { sendPage } from './pages.ts';
import { discardRest } from './read-text.ts';

export function installErrorHandler(app: FastifyInstance, log: Logger): void {
  app.setNotFoundHandler((request, reply) => {
    const isForProgram = request.method !== 'GET' || request.url.startsWith('/__api__');
    if (isForProgram || !/\btext\/html\b/.test(request.headers.accept ?? ''))
      return sendError(reply, noEndpoint(request.url));
    reply.hijack();
    sendPage(
      reply.raw,
      404,
      'Nothing is at this address',
      'Check it for typos, or ask whoever gave it to you.',
    );
  });
  app.setErrorHandler((error, request, reply) => {
    // A client that disconnects during its upload is no failure of the server.
    const gone = request.raw.destroyed && !request.raw.complete;
    if (!(error instanceof ApiError) && !gone) {
      // The query may contain the secret of a link.
      log.error({ err: error, method: request.method, url: before(request.url, '?') }, 'request failed');
    }
    // A missing endpoint takes precedence over Fastify's own errors.
    sendError(reply, request.is404 ? noEndpoint(request.url) : error);
  });
}

/** Other servers are often below a path, such as /connect, which people leave in the address they give clients. */
function noEndpoint(url: string): ApiError {
  const above = /^(\/[^?]{1,100}?)\/__api__\//.exec(url)?.[1];
  if (above === undefined) return errors.endpointNotSupported();
  return errors.endpointNotSupported({ message: `the address of this server does not end in ${above}` });
}

export function sendError(reply: FastifyReply, error: unknown): void {
  const apiError = toApiError(error);
  discardRest(reply.request.raw);
  if (apiError.retryAfter !== null) reply.header('Retry-After', apiError.retryAfter);
  void reply
    .code(apiError.status)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(apiError.toJSON());
}

const INVALID = 'this is not a valid HTTP request';
const MESSAGES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'the headers are too long',
  ERR_HTTP_REQUEST_TIMEOUT: 'the headers took too long to arrive',
};

/**
 * Answers an incomplete HTTP request: 126 for a body that ended before its Content-Length, else 25. There is no request
 * or reply at this point, only the connection.
 */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isResponding(socket)) {
    socket.destroy(error);
    return;
  }
  const cutShort = error.code === 'HPE_INVALID_EOF_STATE';
  const refusal = cutShort
    ? errors.contentLengthMismatch()
    : errors.invalidParameter({ message: MESSAGES[error.code ?? ''] ?? INVALID });
  const body = JSON.stringify(refusal.toJSON());
  endWith(
    socket,
    `HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** Whether the response to an earlier request is being sent: anything else would become part of it. */
function isResponding(socket: Socket): boolean {
  // As in node:http's own handler; there is no public property.
  const { _httpMessage: response } = socket as { _httpMessage?: ServerResponse | null };
  return response?.headersSent ?? false;
}

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const ofDisk = diskRefusal(error);
  if (ofDisk) return ofDisk;
  const { statusCode } = error as { statusCode?: number };
  const badRequest = statusCode !== undefined && statusCode >= 400 && statusCode < 500;
  return errors[badRequest ? 'invalidParameter' : 'internal']({ cause: error });
}
