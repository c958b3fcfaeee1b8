// Retry policy: only harmless repeats, a few times, with growing delays.
import type { ClientClock } from './clock.ts';
import { BadAnswerError, NoAnswerError, RefusedError, type CallFailure } from './failures.ts';

const FIRST_DELAY = 250;
const MAX_DELAY_MS = 8_000;
/** Milliseconds. If a server asks for more, the call fails instead of waiting. */
const MAX_WAIT_MS = 60_000;
const BUSY = new Set([429, 503]);
const GATEWAY = new Set([502, 504]);

/**
 * Milliseconds until the next attempt, or undefined if there is none.
 * @param attempt 0 for the first failure.
 * @param repeatable whether the request changes nothing (GET).
 */
export function retryDelay(
  failure: CallFailure,
  attempt: number,
  repeatable: boolean,
  clock: Pick<ClientClock, 'random'>,
): number | undefined {
  if (!isWorthRepeating(failure, repeatable)) return undefined;
  // Jitter over the upper half: clients that failed together do not return together.
  const ceiling = Math.min(MAX_DELAY_MS, FIRST_DELAY * 2 ** attempt);
  const backOff = Math.round(ceiling / 2 + (clock.random() * ceiling) / 2);
  const asked = failure instanceof NoAnswerError ? null : failure.retryAfter;
  if (asked === null) return backOff;
  return asked > MAX_WAIT_MS ? undefined : Math.max(asked, backOff);
}

function isWorthRepeating(failure: CallFailure, repeatable: boolean): boolean {
  if (failure instanceof NoAnswerError) {
    if (failure.kind === 'aborted' || failure.kind === 'tls') return false;
    if (failure.kind === 'dns') return failure.message.includes('EAI_AGAIN');
    return repeatable || failure.nothingSent;
  }
  if (!repeatable) return false;
  if (failure instanceof RefusedError) return BUSY.has(failure.status);
  return (
    failure instanceof BadAnswerError && (BUSY.has(failure.status ?? 0) || GATEWAY.has(failure.status ?? 0))
  );
}
