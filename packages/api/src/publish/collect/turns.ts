// Synchronous file system calls in short turns: for cached files they take a fifth of the time, without blocking the
// event loop for long.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of a turn, after which the event loop continues. */
const TURN = 4;
/** This few calls in a turn mean that the disk is not answering from its cache; a single slow call does not. */
const SLOW_TURN_CALLS = 4;
/** Calls until the speed is measured again. */
const SLOW_CALLS = 512;

export interface Turns {
  /** Whether calls should be made in the pool: the disk, or network share, is slow. */
  readonly isSlow: boolean;
  /** To be called for each call in the pool. */
  countSlow(): void;
  /** Makes a synchronous call, immediately or in the next turn. */
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
