// Covers limited concurrency; `queue.test.ts` covers the turns of people.
import { expect, test, vi } from 'vitest';
import { createLimitByTurns } from './limit-by-turns.ts';

test('runs a few at once and the others in order, and drops cancelled ones', async () => {
  const limit = createLimitByTurns(2);
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const started: number[] = [];
  const third = new AbortController();
  const runs = gates.map(({ promise }, i) =>
    limit(
      'somebody',
      () => {
        started.push(i);
        return promise;
      },
      i === 2 ? third.signal : undefined,
    ),
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
