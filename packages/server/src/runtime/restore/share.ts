// One run of a piece of work for all who want it at the same time.

export interface Wanting {
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}

interface Running<T> {
  readonly result: Promise<T>;
  readonly wanting: Set<Wanting>;
  readonly abort: AbortController;
}

/**
 * Gives a function that does the work of a key once, however many ask while it runs; all hear what it prints.
 * It is stopped only when the last of them gives up, who then waits until it has really ended.
 */
export function createShared<T>() {
  const running = new Map<string, Running<T>>();

  function start(key: string, work: (wanting: Wanting) => Promise<T>): Running<T> {
    const wanting = new Set<Wanting>();
    const abort = new AbortController();
    const print = (line: string) => wanting.forEach((one) => one.print(line));
    const result = work({ print, signal: abort.signal }).finally(() => running.delete(key));
    // Those who want it hear of its failure; when all have given up, nobody does.
    result.catch(() => undefined);
    const entry = { result, wanting, abort };
    running.set(key, entry);
    return entry;
  }

  return async function share(key: string, one: Wanting, work: (wanting: Wanting) => Promise<T>): Promise<T> {
    one.signal.throwIfAborted();
    let entry = running.get(key);
    while (entry?.abort.signal.aborted) {
      await entry.result.catch(() => undefined);
      entry = running.get(key);
    }
    one.signal.throwIfAborted();
    entry ??= start(key, work);
    const { wanting, abort, result } = entry;
    const own = { ...one };
    wanting.add(own);
    const { promise: given, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(one.signal.reason as Error);
    one.signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([result, given]);
    } finally {
      one.signal.removeEventListener('abort', onAbort);
      wanting.delete(own);
      if (wanting.size === 0 && one.signal.aborted) {
        abort.abort(one.signal.reason);
        await result.catch(() => undefined);
      }
    }
  };
}
