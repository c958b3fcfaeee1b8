// Clock and randomness as parameters, so that tests can control them.
import { setTimeout as delay } from 'node:timers/promises';

export interface ClientClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after this many milliseconds; rejects with the signal's reason when it is aborted first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** A number in [0, 1), for jitter. */
  random(): number;
}

export const systemClock: ClientClock = {
  now: () => Date.now(),
  async sleep(milliseconds, signal) {
    try {
      await delay(milliseconds, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
  random: () => Math.random(),
};
