// The HTTP server: content through node:http directly, everything else through Fastify.
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ApiErrorBody, errors } from '@pressroom/api/contract';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../main/config/settings.ts';
import type { RequestObserver } from '../monitoring/request-observer.ts';
import type { Storage } from '../platform/database/storage.ts';
import { failureOf } from '../platform/database/unreachable.ts';
import { Unavailable } from '../runtime/unavailable.ts';
import type { SignInProvider } from '../sign-in/providers/provider.ts';
import type { ContentOrigin } from '../visitors/content-origin.ts';
import type { ContentPlaces, Place } from '../visitors/content-places.ts';
import type { ContentRoute } from '../visitors/content-route.ts';
import { HAND_OVER } from '../visitors/hand-over.ts';
import type { HotPages, HotPort } from '../visitors/hot-pages.ts';
import { HSTS, type BaseUrl } from './base-url.ts';
import { createEdgeServers } from './edge-server.ts';
import { installErrorHandler, refuseConnection, sendError, toApiError } from './error-handler.ts';
import { endWith } from './last-response.ts';
import { admitCookies, clearTossed, mentionsOwnCookies } from './own-cookies.ts';
import { sendPage } from './pages.ts';
import { parseQueryString } from './query-string.ts';
import { discardRest } from './read-text.ts';
import { type ResponseCache, createResponseCache } from './response-cache.ts';
import { serializerOf } from './serializers.ts';

export interface HttpServerParts {
  readonly config: Config;
  readonly storage: Storage;
  readonly log: Logger;
  readonly provider: SignInProvider;
  readonly base: BaseUrl;
  readonly places: ContentPlaces;
  readonly content: ContentRoute;
  readonly hot: HotPages;
  readonly origin: ContentOrigin;
  /** Called for each request. */
  readonly requests?: RequestObserver | undefined;
  /** Mounts everything that is not content. */
  readonly mount: (app: FastifyInstance, responses: ResponseCache) => void;
}

/** Retry-After for visitors turned away by a limit. */
const RETRY_AFTER_SECONDS = 5;

/** Maximum bytes of path and query. */
const MAX_URL_LENGTH = 8 * 1024;
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/** A proxy in front may use `Authorization` itself: then clients send their key as `X-RSC-Authorization`. */
function settleAuthorization({ headers }: IncomingMessage): void {
  const key = headers['x-rsc-authorization'];
  delete headers['x-rsc-authorization'];
  if (typeof key === 'string' && key !== '') headers.authorization = key;
  // Some proxies send it empty for none.
  if (headers.authorization === '') delete headers.authorization;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

export interface HttpServer {
  readonly app: FastifyInstance;
  /** For content only, on a separate port; not listening yet. */
  createContentServer(): Server;
}

export function createHttpServer(parts: HttpServerParts): HttpServer {
  const { log, storage, provider, config, base, places, content, hot, origin, requests, mount } = parts;
  const { signIn } = provider;
  const edge = createEdgeServers(config, base);
  const responses = createResponseCache(storage);
  const upgraded = new Set<Duplex>();

  /**
   * Runs before anything reads a request: applies trusted proxy headers, the sub-path, and the rules for own cookies.
   * Returns the requested place and the names of rejected cookies.
   */
  function prepare(request: IncomingMessage): { place: Place; tossed: string[] } {
    if (signIn.by === 'header') signIn.scrub(request);
    const url = request.url ?? '/';
    request.url = singleSlashes(base.strip(request));
    const host = base.hostOf(request);
    if (host === null) throw errors.invalidParameter({ message: 'the Host header is not valid' });
    if (url.length > MAX_URL_LENGTH)
      throw errors.invalidParameter({ message: `an address has at most ${MAX_URL_LENGTH} bytes` });
    const place = places.of(request);
    if (!mentionsOwnCookies(request)) return { place, tossed: [] };
    const isSecure =
      place.kind === 'main' ? base.isSecure(request) : places.here(request).startsWith('https:');
    const isShared = place.kind === 'content';
    const tossed = admitCookies(request, isSecure, isShared);
    return { place, tossed: clearTossed(tossed, url, host, isShared) };
  }

  /** Recent requests of the same kind skip the checks. */
  function begin(request: IncomingMessage, response: ServerResponse, fastify: Listener, port: HotPort): void {
    requests?.begin(request, response);
    settleAuthorization(request);
    const refuse = (error: unknown) => sendContentError(log, origin, request, response, error);
    try {
      const isAnswered = hot.serve(request, response, port);
      if (isAnswered === true) return;
      if (isAnswered === false) void respond(request, response, fastify);
      else isAnswered.then((done) => (done ? undefined : respond(request, response, fastify))).catch(refuse);
    } catch (error) {
      refuse(error);
    }
  }

  async function respond(
    request: IncomingMessage,
    response: ServerResponse,
    fastify: Listener,
  ): Promise<void> {
    try {
      const { place, tossed } = prepare(request);
      if (tossed.length > 0) response.setHeader('Set-Cookie', tossed);
      if (base.isSecure(request)) response.setHeader('Strict-Transport-Security', HSTS);
      if (place.kind === 'main' && (await responses.serve(request, response))) return;
      const path = request.url ?? '/';
      const isContents = place.kind !== 'main' || path.startsWith(HAND_OVER);
      if (isContents && (await origin.handle(request, response, path, place))) return;
      const isOurs = path.startsWith('/__');
      if (!isOurs && (await content.handle(request, response, path, place))) return;
      if (place.kind !== 'main') throw errors.notFound();
      fastify(request, response);
    } catch (error) {
      sendContentError(log, origin, request, response, error);
    }
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    upgraded.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => upgraded.delete(socket));
    try {
      settleAuthorization(request);
      const { place } = prepare(request);
      await content.upgrade(request, socket, head, request.url ?? '/', place);
    } catch (error) {
      refuseUpgrade(log, socket, error);
    }
  }

  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    void upgrade(request, socket, head);
  const app = Fastify({
    logger: false,
    serverFactory: (fastify) =>
      edge.create((request, response) => begin(request, response, fastify, 'main'), onUpgrade),
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      // Operations validate ids themselves, after authentication.
      maxParamLength: MAX_URL_LENGTH,
      querystringParser: (text) => parseQueryString(text),
    },
    // Requests on accepted connections are answered during shutdown: a proxy would show a refusal to its visitor.
    return503OnClosing: false,
    clientErrorHandler: refuseConnection,
    frameworkErrors: (_error, _request, reply) =>
      sendError(reply, errors.invalidParameter({ message: 'the path is not valid' })),
  });
  app.setSerializerCompiler(serializerOf);
  // The endpoint decides what a body is: handlers read it themselves, whatever its Content-Type.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.addHook('onRequest', (request, reply, done) => {
    requests?.routed(request.raw, request.routeOptions.url);
    // Fastify refuses malformed Content-Types, even if the endpoint ignores them.
    if (!MEDIA_TYPE.test(request.raw.headers['content-type'] ?? ''))
      delete request.raw.headers['content-type'];
    reply.header('X-Content-Type-Options', 'nosniff').header('Cache-Control', 'no-store');
    done();
  });
  // WebSockets do not end by themselves, and the server closes only after the last one.
  app.addHook('preClose', (done) => {
    edge[Symbol.dispose]();
    for (const socket of upgraded) socket.destroy();
    done();
  });
  installErrorHandler(app, log);
  mount(app, responses);
  return {
    app,
    createContentServer() {
      const nobody = () => {
        throw errors.endpointNotSupported();
      };
      const server = edge.create(
        (request, response) => begin(request, response, nobody, 'content'),
        onUpgrade,
      );
      return server.on('clientError', (error, socket) => refuseConnection(error, socket as Socket));
    },
  };
}

/**
 * Clients often build addresses with doubled slashes. Below a content address the path belongs to the content and stays
 * as it is.
 */
function singleSlashes(url: string): string {
  if (!url.includes('//')) return url;
  const at = url.indexOf('?');
  const [path, query] = at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at)];
  const rooted = path.replace(/^\/{2,}/, '/');
  if (rooted.startsWith('/__')) return rooted.replaceAll(/\/{2,}/g, '/') + query;
  return rooted.replace(/^\/content\/{2,}/, '/content/') + query;
}

interface Refusal {
  readonly status: number;
  /** Seconds; null without a header. */
  readonly retryAfter: number | null;
  readonly title: string;
  readonly body: ApiErrorBody;
}

function refusalOf(log: Logger, error: unknown): Refusal {
  if (error instanceof Unavailable) {
    const { status, title, message } = error;
    const retryAfter = error.retryAfter ?? (status === 503 ? RETRY_AFTER_SECONDS : null);
    return { status, retryAfter, title, body: { code: 1, error: message, payload: null } };
  }
  const apiError = toApiError(error);
  if (apiError.code === 1) failureOf('content request failed', log)(error);
  return {
    status: apiError.status,
    retryAfter: apiError.status === 503 ? RETRY_AFTER_SECONDS : null,
    title: 'This page cannot be shown',
    body: apiError.toJSON(),
  };
}

const NOTHING = {
  title: 'Nothing is published here',
  text: 'The content of this address was deleted or has moved. Ask whoever gave you the address.',
};

/** Programs get an APIError; people get the sign-in page or an error page. */
function sendContentError(
  log: Logger,
  origin: ContentOrigin,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  const { status, retryAfter, title, body } = refusalOf(log, error);
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  discardRest(request);
  if (retryAfter !== null) response.setHeader('Retry-After', retryAfter);
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
    const isNothing = body.code === 4;
    sendPage(response, status, isNothing ? NOTHING.title : title, isNothing ? NOTHING.text : body.error);
    return;
  }
  const json = JSON.stringify(body);
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Length': Buffer.byteLength(json),
  };
  response.writeHead(status, headers).end(json);
}

/** A WebSocket has no response object. */
function refuseUpgrade(log: Logger, socket: Duplex, error: unknown): void {
  const { status, body } = refusalOf(log, error);
  if (socket.destroyed) return;
  const json = JSON.stringify(body);
  endWith(
    socket,
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
  );
}
