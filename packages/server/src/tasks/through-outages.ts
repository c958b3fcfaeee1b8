// Work that is tried again while a store, an engine or the database is away: who published need not do so again.
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../platform/errors.ts';
import { isOutage } from '../platform/outage.ts';

interface Trying {
  readonly log: (line: string) => void;
  /** Aborted when nobody wants it any more. */
  readonly signal: AbortSignal;
  /** It waits for nothing itself: as it is aborted between two tries, it is tried once more at once. */
  readonly triesLast?: boolean;
}

const AGAIN_MS = 2000;
/** How long it may be away. */
const LIMIT_MS = 60_000;

/** @throws what the last try threw: at once what is no outage, otherwise when the outage has lasted for the limit. */
export async function throughOutages<T>(
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
      log(`${messageOf(error)}. Trying again in ${againMs / 1000} seconds`);
      await delay(againMs, undefined, { signal }).catch((aborted: unknown) => {
        if (!triesLast) throw aborted;
      });
    }
  }
}
