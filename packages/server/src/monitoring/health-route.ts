// Whether the server lives, and whether it can answer: for proxies, containers and orchestrators. Nobody signs in for it.
import type { FastifyInstance } from 'fastify';
import type { Storage } from '../platform/database/storage.ts';
import { ping } from './store.ts';

/** Milliseconds that the database gets. */
const PATIENCE = 2000;

export function mountHealth(app: FastifyInstance, { storage }: { readonly storage: Storage }): void {
  app.get('/__health__/live', () => ({ status: 'ok' }));
  app.get('/__health__/ready', async (_request, reply) => {
    const isReady = await within(PATIENCE, ping(storage.db));
    return reply
      .code(isReady ? 200 : 503)
      .send({ status: isReady ? 'ok' : 'unavailable', database: isReady ? 'ok' : 'unavailable' });
  });
}

async function within(milliseconds: number, work: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(resolve, milliseconds, false)));
  const done = work.then(
    () => true,
    () => false,
  );
  return Promise.race([done, late]).finally(() => clearTimeout(timer));
}
