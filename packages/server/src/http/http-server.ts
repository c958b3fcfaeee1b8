// The HTTP server: content straight from node:http, everything else through Fastify.
import { createServer, STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError, openApi, type ApiErrorBody } from '@pressroom/api';
import Fastify, { type FastifyInstance } from 'fastify';
import { Unavailable } from '../runtime/unavailable.ts';
import type { Services } from '../services.ts';
import { handlers } from './api/handlers.ts';
import { createAnswerCache } from './answer-cache.ts';
import type { BaseUrl } from './base-url.ts';
import { createContentOrigin, type ContentOrigin } from './content-origin.ts';
import type { ContentRoute } from './content-route.ts';
import { installErrorHandler, refuseConnection, sendError, toApiError } from './error-handler.ts';
import { mountHome } from './home-route.ts';
import { mountAuditExport } from './audit-export.ts';
import { mountDashboard } from './dashboard-route.ts';
import { API_PREFIX, createOperations, mountApi } from './mount.ts';
import { sendPage } from './pages.ts';
import { parseQueryString } from './query-string.ts';
import { mountSignIn } from './sign-in-route.ts';

/** When a visitor who was turned away may find a place. */
const RETRY_AFTER_SECONDS = 5;

export function createHttpServer(services: Services, content: ContentRoute, base: BaseUrl): FastifyInstance {
  const { log, storage, provider } = services;
  const { signIn } = provider;
  /** Before anything reads a request: what only a trusted proxy may say, and the path below the server's own. */
  const prepare = (request: IncomingMessage) => {
    if (signIn.by === 'header') signIn.scrub(request);
    request.url = base.strip(request.url ?? '/');
    return request.url;
  };
  const answers = createAnswerCache(storage);
  const upgraded = new Set<Duplex>();
  const origin = createContentOrigin(services, base);
  const app = Fastify({
    logger: false,
    serverFactory: (fastify) => {
      const options = {
        keepAliveTimeout: 72_000,
        requestTimeout: 0,
        // Other upgrades, such as to HTTP/2, are offers that need not be taken.
        shouldUpgradeCallback: (request: IncomingMessage) =>
          /^websocket$/i.test(request.headers.upgrade ?? ''),
      };
      const server = createServer(options, (request, response) => {
        const path = prepare(request);
        if (answers.serve(request, response)) return;
        if (base.contentAddress === null && isFastifys(path)) {
          fastify(request, response);
          return;
        }
        const handling =
          base.contentAddress === null
            ? content.handle(request, response, path)
            : origin
                .handle(request, response, path)
                .then(
                  (answered) => answered || (!isFastifys(path) && content.handle(request, response, path)),
                );
        handling
          .then((handled) => handled || fastify(request, response))
          .catch((error: unknown) => sendContentError(services, origin, request, response, error));
      });
      return server.on('upgrade', (request, socket, head) => {
        upgraded.add(socket);
        socket.on('error', () => socket.destroy()).once('close', () => upgraded.delete(socket));
        content
          .upgrade(request, socket, head, prepare(request))
          .catch((error: unknown) => refuseUpgrade(services, socket, error));
      });
    },
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
  // A socket never ends by itself, and the server closes only after its last one.
  app.addHook('preClose', (done) => {
    for (const socket of upgraded) socket.destroy();
    done();
  });
  installErrorHandler(app, log);
  const table = createOperations(services, handlers);
  mountApi(app, services, table, base, answers);
  mountDashboard(app, services, table, base);
  mountAuditExport(app, services);
  mountHome(app, services, base);
  mountSignIn(app, services, base);
  app.get(`${API_PREFIX}/openapi.json`, () => openApi());
  return app;
}

function isFastifys(path: string): boolean {
  return path.startsWith('/__');
}

interface Refusal {
  readonly status: number;
  readonly title: string;
  readonly body: ApiErrorBody;
}

function refusalOf({ log }: Services, error: unknown): Refusal {
  if (error instanceof Unavailable) {
    const { status, title, message } = error;
    return { status, title, body: { code: 1, error: message, payload: null } };
  }
  const apiError = toApiError(error);
  if (apiError.code === 1) log.error(error, 'content request failed');
  return { status: apiError.status, title: 'This page cannot be shown', body: apiError.toJSON() };
}

/** Programs get an APIError; people are sent to the sign-in page or told in words. */
function sendContentError(
  services: Services,
  origin: ContentOrigin,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  const { status, title, body } = refusalOf(services, error);
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  if (status === 503) response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
  const page =
    /\btext\/html\b/.test(request.headers.accept ?? '') && request.headers.authorization === undefined;
  if (page && body.code === 24) {
    response
      .writeHead(302, {
        Location: origin.signInLocation(request),
        'Cache-Control': 'no-store',
        'Content-Length': 0,
      })
      .end();
    return;
  }
  if (page) {
    sendPage(response, status, title, body.error);
    return;
  }
  const json = JSON.stringify(body);
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(json),
  };
  response.writeHead(status, headers).end(json);
}

/** There is no response object for a socket. */
function refuseUpgrade(services: Services, socket: Duplex, error: unknown): void {
  const { status, body } = refusalOf(services, error);
  const json = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
  );
}
