// Replaces node:util.

type Callback = (error: Error | null, result?: unknown) => void;

/** A missing function fails when called, not when wrapped. */
export function promisify(work: ((...args: unknown[]) => void) | undefined) {
  return (...args: unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (work === undefined) return reject(new Error('There is no Node.js here.'));
      const done: Callback = (error, result) => (error === null ? resolve(result) : reject(error));
      work(...args, done);
    });
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
