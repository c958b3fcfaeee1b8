import { expect, test } from 'vitest';
import { readHealth } from './health.ts';

const answers = { ping: () => Promise.resolve() };

test('names what is missing: the database or the connection to Slack', async () => {
  const unanswered = { ping: () => new Promise<void>(() => undefined) };
  const failing = { ping: () => Promise.reject(new Error('no connection')) };
  for (const store of [unanswered, failing])
    expect(await readHealth(store, { isOpen: true }, 1)).toEqual({
      status: 'unavailable',
      database: 'unavailable',
      slack: 'connected',
    });
  expect(await readHealth(answers, { isOpen: false })).toEqual({
    status: 'unavailable',
    database: 'ok',
    slack: 'disconnected',
  });
});

test('over HTTP there is no connection to Slack to lose', async () => {
  expect(await readHealth(answers, null)).toEqual({ status: 'ok', database: 'ok', slack: null });
});
