// Caches responses to GET requests with an API key until the database changes.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { onRequestAsyncHookHandler, onSendHookHandler } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Micros } from '../platform/database/schema.ts';
import type { Storage } from '../platform/database/storage.ts';
import { hasKey } from './request-forgery.ts';

export interface ResponseCache {
  /** Responds from the cache if the handler would return the same; false otherwise. */
  serve(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Does not cache the response to a request whose caller's rights end within this time. Microseconds. */
  endsIn(request: IncomingMessage, time: Micros): void;
  /** Hooks of the cached routes. */
  readonly hooks: { readonly onRequest: onRequestAsyncHookHandler; readonly onSend: onSendHookHandler };
}

interface Kept {
  readonly generation: number;
  readonly until: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
}

/** Milliseconds until the handler runs again, which also records the caller's activity. */
const KEPT_FOR = 1000;
const RESPONSES_KEPT = 1000;
const MAX_RESPONSE_BYTES = 64 * 1024;

/**
 * A cached response depends on the request (key, host, origin and URL) and the database alone. Every write, to content,
 * roles or locks, on any server, invalidates all cached responses.
 */
export function createResponseCache(storage: Storage): ResponseCache {
  const kept = new LRUCache<string, Kept>({ max: RESPONSES_KEPT });
  const generations = new WeakMap<IncomingMessage, number>();
  return {
    async serve(request, response) {
      const key = keyOf(request);
      const cached = key !== null && kept.get(key);
      if (!cached) return false;
      const generation = await storage.generation();
      if (generation !== null) generations.set(request, generation);
      if (cached.generation !== generation || cached.until < performance.now()) return false;
      response.writeHead(200, cached.headers);
      response.end(cached.body);
      return true;
    },
    endsIn(request, time) {
      if (time <= KEPT_FOR * 1000) generations.delete(request);
    },
    hooks: {
      async onRequest({ raw }) {
        if (keyOf(raw) === null || generations.has(raw)) return;
        const generation = await storage.generation();
        if (generation !== null) generations.set(raw, generation);
      },
      onSend(request, reply, payload, done) {
        const key = keyOf(request.raw);
        const generation = generations.get(request.raw);
        const keep =
          typeof payload === 'string' && payload.length <= MAX_RESPONSE_BYTES && reply.statusCode === 200;
        if (keep && key !== null && generation !== undefined) {
          const length = Buffer.byteLength(payload);
          const headers = { ...reply.getHeaders(), 'content-length': length } as OutgoingHttpHeaders;
          kept.set(key, { generation, until: performance.now() + KEPT_FOR, headers, body: payload });
        }
        done(null, payload);
      },
    },
  };
}

/** The part of the request that the response depends on; null if it depends on more. */
function keyOf({ method, url, headers, socket }: IncomingMessage): string | null {
  const { authorization, host, origin = '' } = headers;
  // Without a key, a session or a signature counts.
  const plain = method === 'GET' && hasKey(headers) && headers['x-forwarded-host'] === undefined;
  if (!plain || headers['x-forwarded-proto'] !== undefined || headers['x-forwarded-prefix'] !== undefined)
    return null;
  // Audit events record new addresses of a key: another address is not answered from the cache.
  const from = `${socket.remoteAddress} ${String(headers['x-forwarded-for'] ?? '')}`;
  return `${authorization}\n${host}\n${origin}\n${from}\n${url}`;
}
