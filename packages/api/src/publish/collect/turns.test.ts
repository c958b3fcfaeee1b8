// However many make calls at once, there are breaks for everybody else; a slow disk is noticed.
import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

/** A clock by which every call takes this many milliseconds. */
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
  // Five calls of a millisecond are a turn.
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
