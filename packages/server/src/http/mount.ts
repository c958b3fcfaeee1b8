// Makes routes of the contract: authenticate, gate by provider, validate, authorise, act, present.
import { ApiError, operations, type Access, type Endpoint, type ServerRole } from '@pressroom/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../auth/authenticator.ts';
import { requireFirstUser } from '../commands/users.ts';
import { ROLE_RANK } from '../domain/people.ts';
import type { Services } from '../services.ts';
import type { AnswerCache } from './answer-cache.ts';
import type { BaseUrl } from './base-url.ts';
import type { QueryValues } from './query-string.ts';
import { passOverBody, readText } from './read-text.ts';
import type { ArchiveAnswer, Handler, Handlers } from './request.ts';
import { createValidator } from './validation.ts';

export const API_PREFIX = '/__api__';

type AnyHandler = (services: Services, request: unknown) => unknown;

/** Mounts every operation of the contract with its handler. */
export function mountApi(
  app: FastifyInstance,
  services: Services,
  handlers: Handlers,
  base: BaseUrl,
  answers: AnswerCache,
): void {
  for (const [id, operation] of Object.entries(operations) as [keyof Handlers, Endpoint][]) {
    mountOperation(app, services, operation, handlers[id] as Handler<never> as AnyHandler, base, answers);
  }
}

function mountOperation(
  app: FastifyInstance,
  services: Services,
  operation: Endpoint,
  handler: AnyHandler,
  base: BaseUrl,
  answers: AnswerCache,
): void {
  const { config, authenticator } = services;
  const validator = createValidator(operation);
  const { providers, access, answer, body } = operation;
  const offered = !providers || providers.only.includes(config['Authentication.Provider']);
  const deprecated = deprecation(operation, config['API.DeprecateExperimental']);

  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    if (deprecated !== null) reply.header('X-Deprecated-Endpoint', deprecated);
    const caller = access === 'anyone' ? null : await authenticator.identify(request.headers, request.method);
    if (access === 'first-user' && !caller) await requireFirstUser(services, services.storage.db);
    else requireAccess(access, caller);
    if (providers && !offered) throw new ApiError(providers.otherwise);
    if (body === undefined) await passOverBody(request.raw);
    const params = validator.params(request.params);
    requireWithinContent(operation, caller, params);
    const apiRequest = {
      caller,
      params,
      query: validator.query(request.query as QueryValues),
      body: typeof body === 'object' ? validator.body(await readText(request.raw)) : undefined,
      base: base.of(request.raw),
      url: request.originalUrl,
      raw: request.raw,
      setHeader: (name: string, value: string) => void reply.header(name, value),
      get signal() {
        return whenGone(reply);
      },
    };
    const result = await handler(services, apiRequest);
    reply.code(operation.status);
    if (answer === 'archive') return sendArchive(reply, result as ArchiveAnswer);
    return answer === 'empty' ? reply.send() : result;
  };

  app.route({
    method: operation.method,
    url: API_PREFIX + operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    ...(typeof answer === 'object' && { schema: { response: { [operation.status]: answer } } }),
    handler: handle,
    ...(isKept(operation) && answers.hooks),
  });
}

/** A task is waited for, and logs are files; what anyone may read is not asked for often. */
function isKept({ method, answer, access, group }: Endpoint): boolean {
  return (
    method === 'GET' &&
    typeof answer === 'object' &&
    access !== 'anyone' &&
    group !== 'tasks' &&
    group !== 'runs'
  );
}

/** @throws ApiError 24 without an account, 22 with too low a role. */
function requireAccess(access: Access, caller: Caller | null): void {
  if (access === 'anyone') return;
  if (!caller) throw new ApiError(24);
  const least: ServerRole = access === 'user' ? 'viewer' : access === 'first-user' ? 'administrator' : access;
  if (ROLE_RANK[caller.role] < ROLE_RANK[least]) throw new ApiError(22);
}

/** The key of a content item serves for that item, and for looking at who and where it is. @throws ApiError 22 */
function requireWithinContent(operation: Endpoint, caller: Caller | null, params: unknown): void {
  const own = caller?.content_guid ?? null;
  if (own === null) return;
  const { guid } = params as { guid?: string };
  if (operation.path.includes('/content/{guid}') && guid?.toLowerCase() === own) return;
  if (operation.group === 'server-settings' || operation.operationId === 'getCurrentUser') return;
  throw new ApiError(22, { message: 'this key is for one content item only' });
}

/** The header of a deprecated endpoint: where to go instead (contract, section 9). */
function deprecation(operation: Endpoint, deprecated: boolean): string | null {
  return deprecated && operation.experimental ? (operation.replacement ?? 'n/a') : null;
}

function sendArchive(reply: FastifyReply, archive: ArchiveAnswer): FastifyReply {
  return reply
    .header('Content-Type', 'application/gzip')
    .header('Content-Length', archive.size)
    .header('X-Content-Checksum', archive.md5)
    .header('Content-Disposition', `attachment; filename="${archive.name}"`)
    .send(archive.stream);
}

function whenGone(reply: FastifyReply): AbortSignal {
  const abort = new AbortController();
  reply.raw.once('close', () => abort.abort());
  return abort.signal;
}
