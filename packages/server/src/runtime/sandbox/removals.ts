// Removes file trees in the background, one after the other: a deep one takes long, and nobody waits for it.
import type { Logger } from 'pino';
import type { Launcher } from './launcher.ts';

export interface Removals extends AsyncDisposable {
  /** Failures are logged; the next start finds what remains. */
  add(path: string): void;
}

export function createRemovals({ remove }: Pick<Launcher, 'remove'>, log: Logger): Removals {
  const stopping = new AbortController();
  const { signal } = stopping;
  let last = Promise.resolve();
  return {
    add(path) {
      last = last
        .then(() => (signal.aborted ? undefined : remove(path, signal)))
        .catch((error: unknown) => {
          if (!signal.aborted) log.warn(error, 'removing %s', path);
        });
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await last;
    },
  };
}
