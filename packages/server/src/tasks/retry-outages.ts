// Retries work while a store, an engine or the database is unreachable, so that publishers need not.
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../platform/errors.ts';
import { isOutage } from '../platform/outage.ts';

interface Trying {
  readonly log: (line: string) => void;
  /** Aborts the retries. */
  readonly signal: AbortSignal;
  /** The work itself ignores the signal: when it is aborted between two attempts, a last one follows at once. */
  readonly triesLast?: boolean;
}

const AGAIN_MS = 2000;
/** Maximum milliseconds of an outage. */
const LIMIT_MS = 60_000;
/** For people, at the end of messages: here the server does it. */
const ADVICE = /\.?( Try again in a moment\.)?$/;

/** @throws the error of the last attempt: at once if it is no outage, otherwise after the limit. */
export async function retryOutages<T>(
  { log, signal, triesLast = false }: Trying,
  work: () => Promise<T>,
  againMs = AGAIN_MS,
  limitMs = LIMIT_MS,
): Promise<T> {
  const limit = performance.now() + limitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !isOutage(error) || performance.now() + againMs > limit) throw error;
      log(`${messageOf(error).replace(ADVICE, '')}. Trying again in ${againMs / 1000} seconds`);
      await delay(againMs, undefined, { signal }).catch((aborted: unknown) => {
        if (!triesLast) throw aborted;
      });
    }
  }
}
