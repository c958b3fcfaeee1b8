// Covers work that several callers share.
import { expect, test } from 'vitest';
import { NEVER } from '../testing.ts';
import { createShared } from './share.ts';

test('a caller that arrives while shared work is stopping starts it again', async () => {
  const { share } = createShared<string>();
  const first = new AbortController();
  const print = () => undefined;
  let runs = 0;
  const told = Promise.withResolvers<void>();
  const stopping = Promise.withResolvers<void>();
  const one = share('key', { print, signal: first.signal }, async ({ signal }) => {
    runs += 1;
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    told.resolve();
    await stopping.promise;
    throw signal.reason;
  });
  first.abort(new Error('given up'));
  await told.promise;
  const other = share('key', { print, signal: NEVER }, async () => {
    runs += 1;
    return 'done';
  });
  expect(runs).toBe(1);
  stopping.resolve();
  await expect(one).rejects.toThrow('given up');
  expect(await other).toBe('done');
  expect(runs).toBe(2);
});
