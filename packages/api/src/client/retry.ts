// Retry policy: only harmless repeats, a few times, with growing delays.
import type { ClientClock } from './clock.ts';
import { InvalidResponseError, NoResponseError, RefusedError, type CallFailure } from './failures.ts';

const FIRST_DELAY_MS = 250;
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
  const delay = backOff({ first: FIRST_DELAY_MS, most: MAX_DELAY_MS }, attempt, clock);
  const requested = retryAfterOf(failure);
  return requested > MAX_WAIT_MS ? undefined : Math.max(requested, delay);
}

/** Milliseconds, doubled with every attempt from 0 on. */
export function backOff(
  { first, most }: { readonly first: number; readonly most: number },
  attempt: number,
  clock: Pick<ClientClock, 'random'>,
): number {
  // Jitter over the upper half: clients that failed together do not return together.
  const ceiling = Math.min(most, first * 2 ** attempt);
  return Math.round(ceiling / 2 + (clock.random() * ceiling) / 2);
}

/** Milliseconds that the server requests; 0 if none. */
export function retryAfterOf(failure: CallFailure): number {
  return failure instanceof NoResponseError ? 0 : (failure.retryAfter ?? 0);
}

function isWorthRepeating(failure: CallFailure, repeatable: boolean): boolean {
  if (failure instanceof NoResponseError) {
    if (failure.kind === 'aborted' || failure.kind === 'tls') return false;
    if (failure.kind === 'dns') return failure.message.includes('EAI_AGAIN');
    return repeatable || failure.nothingSent;
  }
  if (!repeatable) return false;
  if (failure instanceof RefusedError) return BUSY.has(failure.status);
  return (
    failure instanceof InvalidResponseError &&
    (BUSY.has(failure.status ?? 0) || GATEWAY.has(failure.status ?? 0))
  );
}
