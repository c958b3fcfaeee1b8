// Covers the queue of installations, and installations that several callers share.
import { expect, test, vi } from 'vitest';
import { NEVER } from '../testing.ts';
import { createLimit } from './limit.ts';
import { createShared } from './share.ts';

test('runs a few at once and the others in order, and drops cancelled ones', async () => {
  const limit = createLimit(2);
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const started: number[] = [];
  const third = new AbortController();
  const runs = gates.map(({ promise }, i) =>
    limit(i === 2 ? third.signal : NEVER, () => {
      started.push(i);
      return promise;
    }),
  );
  await vi.waitFor(() => expect(started).toEqual([0, 1]));
  third.abort(new Error('given up'));
  await expect(runs[2]).rejects.toThrow('given up');
  gates[1]!.reject(new Error('failed'));
  await expect(runs[1]).rejects.toThrow('failed');
  gates[0]!.resolve();
  await runs[0];
  await vi.waitFor(() => expect(started).toEqual([0, 1, 3, 4]));
  gates.forEach(({ resolve }) => resolve());
  await Promise.all([runs[3], runs[4]]);
});

test('a caller that arrives while shared work is stopping starts it again', async () => {
  const share = createShared<string>();
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
