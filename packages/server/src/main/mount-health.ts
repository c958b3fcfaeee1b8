// Whether this server runs, and whether it can answer: for proxies and supervisors, without credentials and without details.
import type { FastifyInstance } from 'fastify';
import type { Services } from './services.ts';

/** Shorter than a proxy waits. */
const PATIENCE_MS = 3000;
const RETRY_AFTER_SECONDS = 5;

export function mountHealth(app: FastifyInstance, { storage, log }: Pick<Services, 'storage' | 'log'>): void {
  const path = '/__health__';
  app.get(`${path}/live`, () => ({}));
  app.get(`${path}/ready`, async (_request, reply) => {
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, PATIENCE_MS, false);
    const answered = storage.db
      .selectFrom('audit_head')
      .select('seq')
      .limit(1)
      .execute()
      .then(
        () => true,
        (error: unknown) => {
          log.debug(error, 'not ready: the database does not answer');
          return false;
        },
      );
    const isReady = await Promise.race([answered, late]);
    clearTimeout(timer);
    reply.header('Cache-Control', 'no-store');
    if (isReady) return {};
    return reply.code(503).header('Retry-After', RETRY_AFTER_SECONDS).send({});
  });
}
