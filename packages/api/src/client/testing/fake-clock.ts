// A clock that stands still: sleeping ends at once and is recorded.
import type { ClientClock } from '../clock.ts';

export interface FakeClock extends ClientClock {
  /** Milliseconds of every sleep so far. */
  sleeps: number[];
}

/** @param onSleep called during a sleep, to change state meanwhile. */
export function createFakeClock(onSleep?: (milliseconds: number) => unknown): FakeClock {
  let time = Date.parse('2026-03-01T12:00:00Z');
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => time,
    random: () => 0.5,
    async sleep(milliseconds, signal) {
      signal?.throwIfAborted();
      sleeps.push(milliseconds);
      time += milliseconds;
      await onSleep?.(milliseconds);
      signal?.throwIfAborted();
    },
  };
}
