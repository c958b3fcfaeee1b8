// Posts in each channel in order, about one a second: announcements first, then results, then files. While Slack is
// down, what failed keeps its place.
import type { ClientClock } from '@pressroom/api/client';
import { isOutage, slackFailure, spreadPause } from './slack-failure.ts';

export interface Poster {
  /**
   * Runs the work in turn; announcements and results one at a time.
   * @param rank 0 before 1.
   * @param order within the rank, such as the time of the deploy
   */
  turn<T>(channel: string, rank: 0 | 1 | 2, order: number, work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly rank: number;
  readonly order: number;
  readonly go: () => void;
}

interface Lane {
  readonly waiting: Waiting[];
  tokens: number;
  filled: number;
  timer: boolean;
  /** Whether a message is being posted. */
  posting: boolean;
  /** Failures in a row, and the time before which nothing is posted. */
  failures: number;
  pausedUntil: number;
}

/** Slack permits short bursts. */
const BURST = 8;
const EACH = 1000;
const FILES = 2;

export function createPoster(clock: ClientClock, signal: AbortSignal): Poster {
  const lanes = new Map<string, Lane>();

  function laneOf(channel: string): Lane {
    let lane = lanes.get(channel);
    if (!lane) {
      if (lanes.size > 5000) lanes.clear();
      const now = clock.now();
      lane = {
        waiting: [],
        tokens: BURST,
        filled: now,
        timer: false,
        posting: false,
        failures: 0,
        pausedUntil: 0,
      };
      lanes.set(channel, lane);
    }
    return lane;
  }

  /** Removes and returns the first that may go. */
  function next({ waiting, posting }: Lane): Waiting | undefined {
    const [first] = waiting
      .filter(({ rank }) => rank === FILES || !posting)
      .toSorted((a, b) => a.rank - b.rank || a.order - b.order);
    if (first) waiting.splice(waiting.indexOf(first), 1);
    return first;
  }

  function pump(lane: Lane): void {
    const now = clock.now();
    // After the clock was set back, a pause would last until it is there again.
    if (now < lane.filled) lane.pausedUntil = 0;
    lane.tokens = Math.min(BURST, lane.tokens + Math.max(0, now - lane.filled) / EACH);
    lane.filled = now;
    while (lane.tokens >= 1 && lane.pausedUntil <= now) {
      const turn = next(lane);
      if (!turn) return;
      lane.tokens -= 1;
      if (turn.rank !== FILES) lane.posting = true;
      turn.go();
    }
    if (lane.waiting.length === 0 || lane.timer) return;
    lane.timer = true;
    clock
      .sleep(Math.ceil(Math.max((1 - lane.tokens) * EACH, lane.pausedUntil - now)), signal)
      .then(() => {
        lane.timer = false;
        pump(lane);
      })
      .catch(() => undefined);
  }

  async function inTurn<T>(lane: Lane, rank: number, work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      lane.failures = 0;
      return result;
    } catch (error) {
      const failure = slackFailure(error);
      if (rank !== FILES && isOutage(failure)) {
        lane.failures += 1;
        lane.pausedUntil = clock.now() + spreadPause(failure, lane.failures, clock);
      }
      throw error;
    } finally {
      if (rank !== FILES) lane.posting = false;
      // What failed is in its place again by then.
      setImmediate(() => pump(lane));
    }
  }

  return {
    async turn(channel, rank, order, work) {
      const lane = laneOf(channel);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      lane.waiting.push({ rank, order, go: resolve });
      const stop = () => reject(signal.reason as Error);
      signal.addEventListener('abort', stop, { once: true });
      pump(lane);
      // The signal lives as long as the bot: listeners must be removed.
      await promise.finally(() => signal.removeEventListener('abort', stop));
      signal.throwIfAborted();
      return inTurn(lane, rank, work);
    },
  };
}
