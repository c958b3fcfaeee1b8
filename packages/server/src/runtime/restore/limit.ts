// Limits concurrency; callers wait in order, and may give up.
import pLimit from 'p-limit';

export type Limit = ReturnType<typeof createLimit>;

export function createLimit(atOnce: number) {
  const limit = pLimit(atOnce);
  /** @throws the signal's reason, if it is aborted while waiting. */
  return async function limited<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    limit(async () => {
      signal.removeEventListener('abort', onAbort);
      if (!signal.aborted) await work().then(resolve, reject);
    }).catch(reject);
    return promise;
  };
}
