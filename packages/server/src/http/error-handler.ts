// The one place where errors become answers: APIError everywhere (contract, section 2).
import { ApiError } from '@pressroom/api';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Logger } from 'pino';

export function installErrorHandler(app: FastifyInstance, log: Logger): void {
  app.setNotFoundHandler((_request, reply) => sendError(reply, new ApiError(2)));
  app.setErrorHandler((error, request, reply) => {
    if (!(error instanceof ApiError))
      log.error({ err: error, method: request.method, url: request.url }, 'request failed');
    sendError(reply, error);
  });
}

export function sendError(reply: FastifyReply, error: unknown): void {
  const apiError = toApiError(error);
  // An upload that was refused half-way cannot be followed by another request on its connection.
  if (!reply.request.raw.complete) reply.header('Connection', 'close');
  void reply
    .code(apiError.status)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(apiError.toJSON());
}

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { statusCode } = error as { statusCode?: number };
  const badRequest = statusCode !== undefined && statusCode >= 400 && statusCode < 500;
  return new ApiError(badRequest ? 25 : 1, { cause: error });
}
