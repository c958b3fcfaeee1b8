// Covers the server's clock while the system clock is adjusted.
import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from './clock.ts';

const NOON = Date.parse('2030-01-01T12:00:00Z');
afterEach(() => void vi.useRealTimers());

test('systemClock never goes back on a small correction and follows a large one', () => {
  vi.useFakeTimers({ now: NOON, toFake: ['Date'] });
  const clock = systemClock();
  expect(clock.now()).toBe(NOON * 1000);
  vi.setSystemTime(NOON - 2000);
  expect(clock.now()).toBe(NOON * 1000 + 1);
  vi.setSystemTime(NOON + 86_400_000);
  clock.now();
  vi.setSystemTime(NOON + 1000);
  expect(clock.now()).toBe((NOON + 1000) * 1000);
  expect(clock.now()).toBe((NOON + 1000) * 1000 + 1);
});
