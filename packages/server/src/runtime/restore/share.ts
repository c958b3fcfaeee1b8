// Shares one run of some work among concurrent callers.
import { orAborted } from '../../platform/or-aborted.ts';

export interface Waiter {
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}

interface Running<T> {
  readonly result: Promise<T>;
  readonly waiters: Set<Waiter>;
  readonly abort: AbortController;
}

/**
 * Runs the work of a key once for concurrent callers; all get its output. It is stopped only when the last of them
 * gives up, who then waits for its end.
 */
export function createShared<T>() {
  const running = new Map<string, Running<T>>();

  function start(key: string, work: (waiter: Waiter) => Promise<T>): Running<T> {
    const waiters = new Set<Waiter>();
    const abort = new AbortController();
    const print = (line: string) => waiters.forEach((one) => one.print(line));
    const result = work({ print, signal: abort.signal }).finally(() => running.delete(key));
    // Callers handle the failure; once all have given up, nobody does.
    result.catch(() => undefined);
    const entry = { result, waiters, abort };
    running.set(key, entry);
    return entry;
  }

  async function share(key: string, one: Waiter, work: (waiter: Waiter) => Promise<T>): Promise<T> {
    one.signal.throwIfAborted();
    let entry = running.get(key);
    while (entry?.abort.signal.aborted) {
      await entry.result.catch(() => undefined);
      entry = running.get(key);
    }
    one.signal.throwIfAborted();
    entry ??= start(key, work);
    const { waiters, abort, result } = entry;
    const own = { ...one };
    waiters.add(own);
    try {
      return await orAborted(result, one.signal);
    } finally {
      waiters.delete(own);
      if (waiters.size === 0 && one.signal.aborted) {
        abort.abort(one.signal.reason);
        await result.catch(() => undefined);
      }
    }
  }

  return {
    share,
    /** Whether callers now would share a run, rather than start one. */
    isRunning: (key: string) => running.get(key)?.abort.signal.aborted === false,
  };
}
