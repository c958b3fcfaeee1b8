// Answers to GETs with a key, kept while the database stays as it was when they were made.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { onRequestAsyncHookHandler, onSendHookHandler } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Storage } from '../platform/database/storage.ts';

export interface AnswerCache {
  /** Answers from memory where that gives what the handler would; false otherwise. */
  serve(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Hooks of the routes whose answers are kept. */
  readonly hooks: { readonly onRequest: onRequestAsyncHookHandler; readonly onSend: onSendHookHandler };
}

interface Kept {
  readonly generation: number;
  readonly until: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
}

/** Milliseconds; after that the handler runs again, which also records that the caller is active. */
const KEPT_FOR = 1000;
const ANSWERS_KEPT = 1000;
const LONGEST_ANSWER = 64 * 1024;

/**
 * An answer depends on the request (its key, host, origin and URL) and on the database alone. Every write, be it of content, of
 * a role or of a lock, and whichever server wrote, makes all answers from before it void.
 */
export function createAnswerCache(storage: Storage): AnswerCache {
  const kept = new LRUCache<string, Kept>({ max: ANSWERS_KEPT });
  const generations = new WeakMap<IncomingMessage, number>();
  return {
    async serve(request, response) {
      const key = keyOf(request);
      const answer = key !== null && kept.get(key);
      if (!answer) return false;
      const generation = await storage.generation();
      if (generation !== null) generations.set(request, generation);
      if (answer.generation !== generation || answer.until < Date.now()) return false;
      response.writeHead(200, answer.headers);
      response.end(answer.body);
      return true;
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
          typeof payload === 'string' && payload.length <= LONGEST_ANSWER && reply.statusCode === 200;
        if (keep && key !== null && generation !== undefined) {
          const length = Buffer.byteLength(payload);
          const headers = { ...reply.getHeaders(), 'content-length': length } as OutgoingHttpHeaders;
          kept.set(key, { generation, until: Date.now() + KEPT_FOR, headers, body: payload });
        }
        done(null, payload);
      },
    },
  };
}

/** What an answer depends on beside the database; null where more than that matters. */
function keyOf({ method, url, headers, socket }: IncomingMessage): string | null {
  const { authorization, host, origin = '' } = headers;
  const plain = method === 'GET' && authorization !== undefined && headers['x-forwarded-host'] === undefined;
  if (!plain || headers['x-forwarded-proto'] !== undefined || headers['x-forwarded-prefix'] !== undefined)
    return null;
  // Where a key is used from is looked at: from another address it is asked for anew.
  const from = `${socket.remoteAddress} ${String(headers['x-forwarded-for'] ?? '')}`;
  return `${authorization}\n${host}\n${origin}\n${from}\n${url}`;
}
