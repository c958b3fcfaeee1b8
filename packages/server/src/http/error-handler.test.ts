import Fastify from 'fastify';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { installErrorHandler } from './error-handler.ts';

test('the query of a request that failed is not logged: that of a link is a secret', async () => {
  const logged: string[] = [];
  await using app = Fastify();
  installErrorHandler(app, pino({}, { write: (line) => logged.push(line) }));
  app.get('/__login__/link', () => {
    throw new Error('the database is gone');
  });
  const answer = await app.inject('/__login__/link?token=sesame');
  expect(answer.statusCode).toBe(500);
  expect(logged.join()).toContain('/__login__/link');
  expect(logged.join()).not.toContain('sesame');
});
