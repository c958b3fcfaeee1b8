// The contract as an OpenAPI 3.1 document.
import type { Endpoint, TObjectLike } from '../endpoint.ts';
import { ERRORS } from '../errors/table.ts';
import { operations } from '../operations/index.ts';

type Json = Record<string, unknown>;

const AUTH_TEXT = {
  anyone: 'no key needed',
  user: 'any account',
  publisher: 'publisher or administrator',
  administrator: 'administrator',
  'first-user': 'administrator; nobody, for the first user under password authentication',
} as const;

/** All operations, grouped by tag; paths are relative to `/__api__`. */
export function openApi(): Json {
  const paths: Record<string, Json> = {};
  for (const operation of Object.values<Endpoint>(operations)) {
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = describe(operation);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Content Hosting Server Management API', version: '1' },
    servers: [{ url: '/__api__' }],
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Key <API_KEY>' },
      },
      schemas: {
        APIError: {
          type: 'object',
          required: ['code', 'error', 'payload'],
          additionalProperties: false,
          properties: {
            code: { type: 'integer', enum: Object.keys(ERRORS).map(Number) },
            error: { type: 'string' },
            payload: { type: ['object', 'null'] },
          },
        },
      },
    },
  };
}

function describe(operation: Endpoint): Json {
  const { operationId, group, summary, access, providers, body, status, response, mayBeEmpty, errors } = operation;
  const only = providers
    ? ` Offered by: ${providers.only.join(', ')}; others return error ${providers.otherwise}.`
    : '';
  return {
    operationId,
    tags: [group],
    summary,
    description: `Access: ${AUTH_TEXT[access]}.${only}`,
    ...(operation.experimental && { 'x-experimental': true, 'x-replacement': operation.replacement ?? null }),
    ...(access === 'anyone' && { security: [] }),
    parameters: [
      ...parameters(operation.params, 'path'),
      ...parameters(operation.query, 'query'),
      ...parameters(operation.headers, 'header'),
    ],
    ...(body && {
      requestBody: {
        required: !operation.bodyOptional,
        content: {
          ...content(body),
          ...(operation.form && typeof body === 'object' && { 'application/x-www-form-urlencoded': { schema: body } }),
        },
      },
    }),
    responses: {
      [status]: { description: 'Success', ...(response !== 'empty' && { content: content(response) }) },
      ...(mayBeEmpty && { 204: { description: 'There is none' } }),
      ...Object.fromEntries(errors.map((code) => [code, failure(`Error ${code}`)])),
      default: failure('Any other error'),
    },
  };
}

function parameters(schema: TObjectLike | undefined, place: 'path' | 'query' | 'header'): Json[] {
  const required = new Set(schema?.required ?? []);
  return Object.entries(schema?.properties ?? {}).map(([name, field]) => ({
    name,
    in: place,
    required: place === 'path' || required.has(name),
    schema: field,
  }));
}

function content(schema: object | 'archive' | 'tar' | 'file'): Json {
  if (schema === 'file') return { '*/*': { schema: { type: 'string', format: 'binary' } } };
  if (schema === 'tar') return { 'application/x-tar': { schema: { type: 'string', format: 'binary' } } };
  if (schema === 'archive') return { 'application/gzip': { schema: { type: 'string', format: 'binary' } } };
  return { 'application/json': { schema } };
}

function failure(description: string): Json {
  return {
    description,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/APIError' } } },
  };
}
