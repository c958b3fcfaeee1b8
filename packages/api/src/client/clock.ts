// Time and chance as arguments, so that tests can hold them still.
import { setTimeout as delay } from 'node:timers/promises';

export interface ClientClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after so many milliseconds; rejects with the signal's reason when it is aborted before. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** A number in [0, 1), for jitter. */
  random(): number;
}

/** The clock of the machine. */
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
