// Work that goes on after Slack was answered: so many at a time, the others in order, none lost.
import type { Logger } from 'pino';

export interface WorkQueue {
  add(work: () => Promise<void>): void;
  readonly waiting: number;
  idle(): Promise<void>;
}

export function createWorkQueue(atOnce: number, log: Logger): WorkQueue {
  const waiting: (() => Promise<void>)[] = [];
  let head = 0;
  let running = 0;
  let emptied = Promise.withResolvers<void>();

  function next(): void {
    while (running < atOnce && head < waiting.length) {
      const work = waiting[head]!;
      head += 1;
      if (head > 1000 && head * 2 > waiting.length) {
        waiting.splice(0, head);
        head = 0;
      }
      running += 1;
      // In a turn of its own: what Slack waits for goes first.
      setImmediate(() => {
        start(work);
      });
    }
    if (running === 0 && head === waiting.length) {
      emptied.resolve();
      emptied = Promise.withResolvers();
    }
  }

  function start(work: () => Promise<void>): void {
    work()
      .catch((error: unknown) => log.error(error, 'work failed'))
      .finally(() => {
        running -= 1;
        next();
      });
  }

  return {
    add(work) {
      waiting.push(work);
      next();
    },
    get waiting() {
      return waiting.length - head + running;
    },
    async idle() {
      if (running > 0 || head < waiting.length) await emptied.promise;
    },
  };
}
