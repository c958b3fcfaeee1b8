import Fastify from 'fastify';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { installErrorHandler } from './error-handler.ts';

test('does not log the query of a failed request, which can carry a secret', async () => {
  const logged: string[] = [];
  await using app = Fastify();
  installErrorHandler(app, pino({}, { write: (line) => logged.push(line) }));
  app.get('/__login__/link', () => {
    throw new Error('the database is gone');
  });
  const response = await app.inject('/__login__/link?token=sesame');
  expect(response.statusCode).toBe(500);
  expect(logged.join()).toContain('/__login__/link');
  expect(logged.join()).not.toContain('sesame');
});

test.each([
  ['SQLite', { code: 'ERR_SQLITE_ERROR', errcode: 13 }],
  ['PostgreSQL', { code: '53100' }],
  ['the system', { code: 'ENOSPC' }],
])('returns 503 for a full disk reported by %s', async (_who, fields) => {
  await using app = Fastify();
  installErrorHandler(app, pino({ level: 'silent' }));
  app.get('/', () => {
    throw Object.assign(new Error('no room'), fields);
  });
  const response = await app.inject('/');
  expect(response.statusCode).toBe(503);
  expect(response.json().error).toBe('The disk of the server is full. Its administrator has to make room.');
});

test('returns 503 for a read-only disk, without its path', async () => {
  await using app = Fastify();
  installErrorHandler(app, pino({ level: 'silent' }));
  app.get('/', () => {
    throw Object.assign(new Error("EROFS: open '/srv/logs'"), { code: 'EROFS' });
  });
  const response = await app.inject('/');
  expect(response.statusCode).toBe(503);
  expect(response.json().error).toBe(
    'The disk of the server is read-only. Its administrator has to make it writable.',
  );
});
