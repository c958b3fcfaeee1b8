// Passes progress from callbacks to an iteration, keeping only the newest event of each kind.

/**
 * Collects events while `work` runs; slow readers get fewer of them, without using more memory. A reader that stops ends
 * the work by its signal, and waits for it.
 */
export async function* withProgress<Event extends { type: string }, Result>(
  work: (report: (event: Event) => void, signal: AbortSignal) => Promise<Result>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Event, Result, undefined> {
  const stop = new AbortController();
  const newest = new Map<string, Event>();
  let wake: () => void = () => undefined;
  let running = true;
  const report = (event: Event) => {
    newest.set(event.type, event);
    wake();
  };
  const stopped = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const promise = work(report, stopped).finally(() => {
    running = false;
    wake();
  });
  // A failure is thrown below; until then it must not count as unhandled.
  promise.catch(() => undefined);
  try {
    while (running || newest.size > 0) {
      if (newest.size === 0) {
        const { promise: woken, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await woken;
      }
      const events = [...newest.values()];
      newest.clear();
      yield* events;
    }
    return await promise;
  } finally {
    if (running) stop.abort();
    await promise.catch(() => undefined);
  }
}
