// Limits concurrency; people take turns, and may give up while they wait.
import { createTurnOrder } from './turn-order.ts';

/** @throws the signal's reason, if it is aborted while waiting. */
export type LimitByTurns = <T>(person: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

interface Waiting {
  readonly person: string;
  readonly start: () => void;
}

export function createLimitByTurns(atOnce: number): LimitByTurns {
  const order = createTurnOrder();
  const waiting: Waiting[] = [];
  const running: string[] = [];

  function startNext(): void {
    while (running.length < atOnce && waiting.length > 0) {
      const chosen = order.next(waiting, running);
      waiting.splice(waiting.indexOf(chosen), 1);
      running.push(chosen.person);
      chosen.start();
    }
  }

  return async (person, work, signal) => {
    signal?.throwIfAborted();
    const { promise: turn, resolve, reject } = Promise.withResolvers<void>();
    const own = { person, start: resolve };
    const onAbort = () => {
      const at = waiting.indexOf(own);
      if (at === -1) return;
      waiting.splice(at, 1);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    waiting.push(own);
    startNext();
    await turn;
    signal?.removeEventListener('abort', onAbort);
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      running.splice(running.indexOf(person), 1);
      startNext();
    }
  };
}
