// Work after Slack was acknowledged: limited concurrency, in order, and no person takes every place.
import { setImmediate } from 'node:timers/promises';
import PQueue from 'p-queue';
import type { Logger } from 'pino';
import type { Invoker } from './reply.ts';

type Person = Pick<Invoker, 'team' | 'user'>;

export interface WorkQueue {
  /**
   * Failures are logged.
   * @param by whose turn it takes; none for work of the workspace
   */
  add(work: () => Promise<void>, by?: Person): void;
  /** Running and waiting. */
  readonly waiting: number;
  /** Whether so much is queued, of everybody or of this person, that more would wait too long. */
  isFull(by: Person): boolean;
  /** Resolves when no work is left. */
  idle(): Promise<void>;
}

/** Commands and clicks of a person processed concurrently: a usage summary may take minutes. */
const AT_ONCE_EACH = 3;
/** Maximum waiting commands and clicks of a person. */
const MOST_EACH = 50;

/** @param most queued, before the queue counts as full: nothing is refused here */
export function createWorkQueue(concurrency: number, log: Logger, most = Infinity): WorkQueue {
  const queue = new PQueue({ concurrency });
  const people = new Map<string, PQueue>();
  const keyOf = ({ team, user }: Person) => `${team} ${user}`;
  const queued = () => [...people.values()].reduce((sum, { size }) => sum + size, queue.size);

  async function takeTurn(work: () => Promise<void>, key: string): Promise<void> {
    const own = people.get(key) ?? new PQueue({ concurrency: AT_ONCE_EACH });
    people.set(key, own);
    try {
      await own.add(() => queue.add(work));
    } finally {
      if (own.size + own.pending === 0) people.delete(key);
    }
  }

  return {
    add(work, by) {
      const run = async () => {
        // Yields first, so that the acknowledgement is sent.
        await setImmediate();
        await work();
      };
      const done = by ? takeTurn(run, keyOf(by)) : queue.add(run);
      done.catch((error: unknown) => log.error(error, 'work failed'));
    },
    get waiting() {
      return queued() + queue.pending;
    },
    isFull: (by) => queued() >= most || (people.get(keyOf(by))?.size ?? 0) >= MOST_EACH,
    async idle() {
      while (queued() + queue.pending > 0)
        await Promise.all([queue, ...people.values()].map((each) => each.onIdle()));
    },
  };
}
