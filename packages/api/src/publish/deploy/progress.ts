// Passes progress from callbacks to an iteration, keeping only the newest event of each kind.

/** Collects events while `work` runs; slow readers get fewer of them, without using more memory. */
export async function* withProgress<Event extends { type: string }, Result>(
  work: (report: (event: Event) => void) => Promise<Result>,
): AsyncGenerator<Event, Result, undefined> {
  const newest = new Map<string, Event>();
  let wake: () => void = () => undefined;
  let running = true;
  const promise = work((event) => {
    newest.set(event.type, event);
    wake();
  }).finally(() => {
    running = false;
    wake();
  });
  // A failure is thrown below; until then it must not count as unhandled.
  promise.catch(() => undefined);
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
  return promise;
}
