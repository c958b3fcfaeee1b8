// Calls of the file system that do not wait in the pool, in short turns: cached files take a fifth of the time so, and nobody
// is held up by them.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** A turn of this length, milliseconds, is followed by a break for everybody else. */
const TURN = 4;
/** So few calls in a turn mean a disk that does not answer from its cache; one slow call among many does not. */
const SLOW_TURN_CALLS = 4;
/** After them it is looked again whether it is still slow. */
const SLOW_CALLS = 512;

export interface Turns {
  /** Whether the next call should rather be made in the pool: the disk, or network share, is slow. */
  readonly isSlow: boolean;
  /** To be called for each call that is made in the pool. */
  countSlow(): void;
  /** Makes a synchronous call at once, or after a break. */
  take<T>(call: () => T): Promise<T>;
}

/** @param now a clock in milliseconds */
export function createTurns(now: () => number = () => performance.now()): Turns {
  let slowLeft = 0;
  let time = 0;
  let calls = 0;
  let pause: Promise<void> | null = null;

  function endTurn(): void {
    if (calls < SLOW_TURN_CALLS) slowLeft = SLOW_CALLS;
    time = 0;
    calls = 0;
    pause = nextTurn().then(() => void (pause = null));
  }

  return {
    get isSlow() {
      return slowLeft > 0;
    },
    countSlow: () => void (slowLeft -= 1),
    async take(call) {
      while (pause) await pause;
      const began = now();
      const result = call();
      time += now() - began;
      calls += 1;
      if (time > TURN) endTurn();
      return result;
    },
  };
}
