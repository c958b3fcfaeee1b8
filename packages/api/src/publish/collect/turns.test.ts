// Covers shared breaks: concurrent callers leave time for other work, and a slow disk is detected.
import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

/** Returns a clock that advances by `step` milliseconds at each call. */
function clock(step: number): () => number {
  let time = 0;
  return () => (time += step);
}

test('concurrent callers share the breaks', async () => {
  const turns = createTurns(clock(1));
  let isRunning = true;
  let breaks = 0;
  const count = (): void => {
    breaks += 1;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  const lane = async (): Promise<void> => {
    for (let i = 0; i < 10; i += 1) await turns.take(() => i);
  };
  await Promise.all(Array.from({ length: 60 }, lane));
  isRunning = false;
  // A turn is 5 ms: five calls of 1 ms.
  expect(breaks).toBeGreaterThanOrEqual(600 / 5 - 1);
  expect(turns.isSlow).toBe(false);
});

test('uses the thread pool for a slow disk for a while', async () => {
  const turns = createTurns(clock(50));
  await turns.take(() => null);
  let inPool = 0;
  for (; turns.isSlow; inPool += 1) turns.countSlow();
  expect(inPool).toBe(512);
});

test('a failed call rejects its caller and does not affect the next', async () => {
  const turns = createTurns();
  const failing = turns.take(() => {
    throw new Error('gone');
  });
  await expect(failing).rejects.toThrow('gone');
  expect(await turns.take(() => 'there')).toBe('there');
});
