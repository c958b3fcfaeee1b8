// Lets a few pieces of work run at the same time; the others wait in order.

export function createLimit(atOnce: number) {
  let running = 0;
  const waiting = new Set<() => void>();

  /** @throws the signal's reason, when it is aborted before the turn has come. */
  async function turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (running < atOnce) {
      running += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => {
      if (waiting.delete(resolve)) reject(signal.reason as Error);
    };
    waiting.add(resolve);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  return async function limit<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await turn(signal);
    try {
      return await work();
    } finally {
      const [next] = waiting;
      // The place goes on to the next one.
      if (next) {
        waiting.delete(next);
        next();
      } else running -= 1;
    }
  };
}
