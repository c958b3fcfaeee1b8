// Mounts the routes of the contract: authenticate, gate by provider, validate, authorise, act, present.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { type Endpoint, type OperationId, operations } from '@pressroom/api/contract';
import type { Schema } from 'fast-json-stringify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../main/config/settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { Authenticator } from '../sign-in/authenticator.ts';
import { isSigned, signedTargetOf } from '../sign-in/tokens/signature.ts';
import type { ContentPlaces } from '../visitors/content-places.ts';
import type { BaseUrl } from './base-url.ts';
import { createOperation, type Operation, type OperationParts } from './operation.ts';
import { API_PREFIX } from './paths.ts';
import { isPortions, itemsOrText, type Portions } from './portions.ts';
import type { QueryValues } from './query-string.ts';
import { readForm } from './read-form.ts';
import { passOverBody, readText } from './read-text.ts';
import { hasKey, isCrossOrigin } from './request-forgery.ts';
import type { ArchiveResponse, FileResponse, Handlers, TarResponse } from './request.ts';
import type { ResponseCache } from './response-cache.ts';
import { serializerOf } from './serializers.ts';

/** Of an operation that returns a list. */
interface ListShape {
  readonly items: Schema;
}

const ENDPOINTS = Object.entries(operations) as [OperationId, Endpoint][];

interface MountParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly authenticator: Authenticator;
}

/** All operations by id, mounted as routes and called by the dashboard. */
export type OperationTable = Readonly<Record<OperationId, Operation>>;

export function createOperations<Parts extends OperationParts>(
  parts: Parts,
  handlers: Handlers<Parts>,
): OperationTable {
  const entries = ENDPOINTS.map(([id, operation]) => {
    const handler = handlers[id] as (parts: Parts, request: unknown) => unknown;
    return [id, createOperation(parts, operation, (request) => handler(parts, request))] as const;
  });
  return Object.fromEntries(entries) as Record<OperationId, Operation>;
}

/** Mounts every operation of the contract. */
export function mountApi(
  app: FastifyInstance,
  parts: MountParts,
  table: OperationTable,
  base: BaseUrl,
  responses: ResponseCache,
  places: ContentPlaces,
): void {
  for (const [id, operation] of ENDPOINTS) {
    mountOperation(app, parts, operation, table[id], base, responses, places);
  }
}

function mountOperation(
  app: FastifyInstance,
  { config, clock, authenticator }: MountParts,
  operation: Endpoint,
  run: Operation,
  base: BaseUrl,
  responses: ResponseCache,
  places: ContentPlaces,
): void {
  const { access, response: shape, checksKey } = operation;
  const deprecated = deprecation(operation, config['API.DeprecateExperimental']);

  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    if (deprecated !== null) reply.header('X-Deprecated-Endpoint', deprecated);
    const { raw } = request;
    const received = clock.now();
    const identify = () =>
      authenticator.identify(
        request.headers,
        provenMethod(raw, base.of(raw), places),
        base.visitor(raw),
        signedTargetOf(raw, base.of(raw), received),
      );
    const isForAnyone =
      access === 'anyone' && !(checksKey && (hasKey(request.headers) || isSigned(request.headers)));
    const caller = isForAnyone ? null : await identify();
    const expires = caller?.limits?.expires_time ?? null;
    if (expires !== null) responses.endsIn(raw, expires - received);
    const result = await run({
      caller,
      again: identify,
      params: request.params,
      query: request.query as QueryValues,
      readBody: () => (operation.form && isForm(raw) ? readFormAsJson(raw) : readText(raw)),
      passOverBody: () => passOverBody(raw),
      base: base.of(raw),
      url: request.originalUrl,
      visitor: base.visitor(raw),
      raw,
      setHeader: (name, value) => void reply.header(name, value),
      get signal() {
        return whenGone(reply);
      },
    });
    reply.code(operation.status);
    if (shape === 'archive') return sendArchive(reply, result as ArchiveResponse);
    if (shape === 'tar') return sendTar(reply, result as TarResponse);
    if (shape === 'file') return sendFile(reply, result as FileResponse | null);
    if (isPortions(result)) return sendPortions(reply, result, shape as ListShape);
    return shape === 'empty' ? reply.send() : result;
  };

  app.route({
    method: operation.method,
    url: API_PREFIX + operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    ...(typeof shape === 'object' && { schema: { response: { [operation.status]: shape } } }),
    handler: handle,
    ...(isKept(operation) && responses.hooks),
  });
}

function isForm({ headers }: IncomingMessage): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '');
}

async function readFormAsJson(request: IncomingMessage): Promise<string> {
  return JSON.stringify(Object.fromEntries(await readForm(request)));
}

/**
 * Published content runs in the same browser: its scripts may send the visitor's cookies. Therefore browser requests
 * with a session must have the session's token, even to read. If content shares our origin over plain http, its scripts
 * look like any program: then the token is always required.
 */
function provenMethod({ headers, method }: IncomingMessage, base: string, places: ContentPlaces): string {
  const isBrowsers = headers['sec-fetch-site'] !== undefined || isCrossOrigin(headers, new URL(base).origin);
  return isBrowsers || places.isShared ? 'POST' : (method ?? 'GET');
}

/** Public responses are not cached: they are rarely requested. */
function isKept({ method, response, access, kept }: Endpoint): boolean {
  return method === 'GET' && typeof response === 'object' && access !== 'anyone' && kept !== false;
}

/** The header of a deprecated endpoint: its replacement (contract, section 9). */
function deprecation(operation: Endpoint, deprecated: boolean): string | null {
  return deprecated && operation.experimental ? (operation.replacement ?? 'n/a') : null;
}

/** Opened in a browser, the file runs nothing. */
function sendFile(reply: FastifyReply, file: FileResponse | null): FastifyReply {
  if (file === null) return reply.code(204).send();
  return reply
    .headers({
      'Content-Type': file.type,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'private, no-cache',
      ...file.headers,
    })
    .send(file.bytes);
}

async function sendPortions(
  reply: FastifyReply,
  portions: Portions<unknown>,
  { items }: ListShape,
): Promise<unknown> {
  const list = await itemsOrText(portions, serializerOf({ schema: items }));
  if (!(list instanceof Readable)) return list;
  return sendStream(reply.type('application/json; charset=utf-8'), list);
}

export function sendArchive(reply: FastifyReply, archive: ArchiveResponse): FastifyReply {
  reply
    .header('Content-Type', 'application/gzip')
    .header('Content-Length', archive.size)
    .header('X-Content-Checksum', archive.md5)
    .header('Content-Disposition', `attachment; filename="${archive.name}"`);
  return sendStream(reply, archive.stream);
}

/** For HEAD, Fastify would read all of it, and drop it. */
function sendStream(reply: FastifyReply, stream: Readable): FastifyReply {
  if (reply.request.method === 'HEAD') stream.destroy();
  return reply.send(stream);
}

/** A backup: not to be cached by anything. */
export function sendTar(reply: FastifyReply, { stream, size, name }: TarResponse): FastifyReply {
  return reply
    .header('Content-Type', 'application/x-tar')
    .header('Content-Length', size)
    .header('Content-Disposition', `attachment; filename="${name}"`)
    .header('Cache-Control', 'no-store')
    .send(stream);
}

/** Aborts when the client disconnects or the response was sent. */
export function whenGone(reply: FastifyReply): AbortSignal {
  const abort = new AbortController();
  reply.raw.once('close', () => abort.abort());
  return abort.signal;
}
