// Health endpoints for proxies, containers and orchestrators: whether the server is alive, and whether it can answer.
// No sign-in.
import type { FastifyInstance } from 'fastify';
import type { Storage } from '../platform/database/storage.ts';
import { endsWithin } from '../platform/ends-within.ts';
import { ping } from './store.ts';

/** State of a server that was told to stop. */
export interface Lifecycle {
  /** Takes no visitors whom others can take, and tells proxies so. */
  isDraining: boolean;
}

/** Milliseconds until the database counts as unresponsive. */
const PATIENCE = 2000;

interface Parts {
  readonly storage: Storage;
  readonly lifecycle: Lifecycle;
  /** True if an administrator drained the server: a proxy sends visitors to other servers. */
  readonly applications: { readonly isClosed: boolean };
}

export function mountHealth(app: FastifyInstance, { storage, lifecycle, applications }: Parts): void {
  app.get('/__health__/live', () => ({ status: 'ok' }));
  app.get('/__health__/ready', async (_request, reply) => {
    if (lifecycle.isDraining || applications.isClosed) return reply.code(503).send({ status: 'draining' });
    const isThere = await endsWithin(ping(storage.db), PATIENCE).catch(() => false);
    return reply
      .code(isThere ? 200 : 503)
      .send({ status: isThere ? 'ok' : 'unavailable', database: isThere ? 'ok' : 'unavailable' });
  });
}
