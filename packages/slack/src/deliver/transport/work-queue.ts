// Work after Slack was acknowledged: limited concurrency, in order.
import { setImmediate } from 'node:timers/promises';
import PQueue from 'p-queue';
import type { Logger } from 'pino';

export interface WorkQueue {
  /** Failures are logged. */
  add(work: () => Promise<void>): void;
  /** Running and waiting. */
  readonly waiting: number;
  /** Whether so much is queued that more would wait too long. */
  readonly isFull: boolean;
  /** Resolves when no work is left. */
  idle(): Promise<void>;
}

/** @param most queued, before the queue counts as full: nothing is refused here */
export function createWorkQueue(concurrency: number, log: Logger, most = Infinity): WorkQueue {
  const queue = new PQueue({ concurrency });
  return {
    add(work) {
      const run = async () => {
        // Yields first, so that the acknowledgement is sent.
        await setImmediate();
        await work();
      };
      queue.add(run).catch((error: unknown) => log.error(error, 'work failed'));
    },
    get waiting() {
      return queue.size + queue.pending;
    },
    get isFull() {
      return queue.size >= most;
    },
    idle: () => queue.onIdle(),
  };
}
