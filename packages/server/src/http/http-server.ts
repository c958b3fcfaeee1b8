// The HTTP server: content straight from node:http, everything else through Fastify.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ApiError, openApi } from '@pressroom/api';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Services } from '../services.ts';
import { handlers } from './api/handlers.ts';
import { createAnswerCache } from './answer-cache.ts';
import type { BaseUrl } from './base-url.ts';
import type { ContentRoute } from './content-route.ts';
import { installErrorHandler, refuseConnection, sendError, toApiError } from './error-handler.ts';
import { mountHome } from './home-route.ts';
import { API_PREFIX, mountApi } from './mount.ts';
import { sendPage } from './pages.ts';
import { parseQueryString } from './query-string.ts';
import { mountSignIn } from './sign-in-route.ts';

export function createHttpServer(services: Services, content: ContentRoute, base: BaseUrl): FastifyInstance {
  const { log, storage } = services;
  const answers = createAnswerCache(storage);
  const app = Fastify({
    logger: false,
    serverFactory: (fastify) =>
      createServer({ keepAliveTimeout: 72_000, requestTimeout: 0 }, (request, response) => {
        request.url = base.strip(request.url ?? '/');
        const path = request.url;
        if (answers.serve(request, response)) return;
        if (isFastifys(path)) {
          fastify(request, response);
          return;
        }
        content
          .handle(request, response, path)
          .then((handled) => handled || fastify(request, response))
          .catch((error: unknown) => sendContentError(services, request, response, error));
      }),
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: 256,
      querystringParser: (text) => parseQueryString(text),
    },
    clientErrorHandler: refuseConnection,
    frameworkErrors: (_error, _request, reply) =>
      sendError(reply, new ApiError(25, { message: 'the path is not valid' })),
  });
  // The endpoint alone says what a body is: handlers read it themselves, whatever its Content-Type.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('X-Content-Type-Options', 'nosniff').header('Cache-Control', 'no-store');
    done();
  });
  installErrorHandler(app, log);
  mountApi(app, services, handlers, base, answers);
  mountHome(app, services);
  mountSignIn(app, services, base);
  app.get(`${API_PREFIX}/openapi.json`, () => openApi());
  return app;
}

function isFastifys(path: string): boolean {
  return path.startsWith('/__');
}

/** Programs get an APIError; people are sent to the sign-in page or told in words. */
function sendContentError(
  { log }: Services,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  const apiError = toApiError(error);
  if (apiError.code === 1) log.error(error, 'content request failed');
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const page =
    /\btext\/html\b/.test(request.headers.accept ?? '') && request.headers.authorization === undefined;
  if (page && apiError.code === 24) {
    const location = `/__login__?next=${encodeURIComponent(request.url ?? '/')}`;
    response.writeHead(302, { Location: location, 'Cache-Control': 'no-store', 'Content-Length': 0 }).end();
    return;
  }
  if (page) {
    sendPage(response, apiError.status, 'This page cannot be shown', apiError.message);
    return;
  }
  const body = JSON.stringify(apiError.toJSON());
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  };
  response.writeHead(apiError.status, headers).end(body);
}
