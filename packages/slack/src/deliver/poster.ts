// Limits posts to about one per second and channel: announcements first, then results, then files.
import type { ClientClock } from '@pressroom/api/client';

export interface Poster {
  /** Runs the work in turn. @param rank 0 before 1. */
  turn<T>(channel: string, rank: 0 | 1 | 2, work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly rank: number;
  readonly go: () => void;
}

interface Lane {
  readonly waiting: Waiting[];
  tokens: number;
  filled: number;
  timer: boolean;
}

/** Slack permits short bursts. */
const BURST = 8;
const EACH = 1000;

export function createPoster(clock: ClientClock, signal: AbortSignal): Poster {
  const lanes = new Map<string, Lane>();

  function pump(lane: Lane): void {
    const now = clock.now();
    lane.tokens = Math.min(BURST, lane.tokens + (now - lane.filled) / EACH);
    lane.filled = now;
    while (lane.tokens >= 1 && lane.waiting.length > 0) {
      lane.tokens -= 1;
      const best = Math.min(...lane.waiting.map(({ rank }) => rank));
      const [next] = lane.waiting.splice(
        lane.waiting.findIndex(({ rank }) => rank === best),
        1,
      );
      next!.go();
    }
    if (lane.waiting.length === 0 || lane.timer) return;
    lane.timer = true;
    clock
      .sleep(Math.ceil((1 - lane.tokens) * EACH), signal)
      .then(() => {
        lane.timer = false;
        pump(lane);
      })
      .catch(() => undefined);
  }

  return {
    async turn(channel, rank, work) {
      let lane = lanes.get(channel);
      if (!lane) {
        if (lanes.size > 5000) lanes.clear();
        lanes.set(channel, (lane = { waiting: [], tokens: BURST, filled: clock.now(), timer: false }));
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      lane.waiting.push({ rank, go: resolve });
      const stop = () => reject(signal.reason as Error);
      signal.addEventListener('abort', stop, { once: true });
      pump(lane);
      // The signal lives as long as the bot: listeners must be removed.
      await promise.finally(() => signal.removeEventListener('abort', stop));
      signal.throwIfAborted();
      return work();
    },
  };
}
