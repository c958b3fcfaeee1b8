// Slows guessing down: failed attempts at an account from an address wait longer and longer, one after the other.
// Nothing is ever locked: whoever owns the account and comes from elsewhere does not notice.
import { ApiError } from '@pressroom/api';
import type { Clock } from '../config/clock.ts';

export interface Throttle {
  /**
   * Runs the check of a sign-in when its turn has come.
   * @throws ApiError what the check throws; 30 when too many attempts are waiting already.
   */
  attempt<T>(username: string, address: string, check: () => Promise<T>): Promise<T>;
}

/** Attempts that may fail without a wait. */
const FREE = 4;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;
const WAITING_AT_MOST = 5;
/** Microseconds without an attempt after which failures are forgotten: a quarter of an hour. */
const FORGOTTEN_AFTER = 900_000_000;
const PLACES_KEPT = 20_000;

interface Place {
  failures: number;
  waiting: number;
  last: number;
  turn: Promise<unknown>;
}

/** @param pause waits for milliseconds. */
export function createThrottle(clock: Clock, pause: (ms: number) => Promise<void>): Throttle {
  const places = new Map<string, Place>();

  function placeOf(username: string, address: string): Place {
    const key = `${networkOf(address)} ${username.toLowerCase().slice(0, 255)}`;
    const now = clock.now();
    const kept = places.get(key);
    const fresh = kept && (kept.waiting > 0 || now - kept.last < FORGOTTEN_AFTER);
    const place = fresh ? kept : { failures: 0, waiting: 0, last: now, turn: Promise.resolve() };
    place.last = now;
    // The one longest without an attempt comes first in the map, and goes first.
    places.delete(key);
    places.set(key, place);
    if (places.size > PLACES_KEPT) places.delete(places.keys().next().value!);
    return place;
  }

  return {
    async attempt(username, address, check) {
      const place = placeOf(username, address);
      if (place.waiting >= WAITING_AT_MOST) {
        throw new ApiError(30, { message: 'too many attempts to sign in: wait a minute' });
      }
      const inTurn = async () => {
        const over = place.failures - FREE;
        if (over >= 0) await pause(Math.min(FIRST_WAIT_MS * 2 ** over, LONGEST_WAIT_MS));
        try {
          const value = await check();
          place.failures = 0;
          return value;
        } catch (error) {
          if (error instanceof ApiError && error.code === 30) place.failures += 1;
          throw error;
        }
      };
      place.waiting += 1;
      const result = place.turn.then(inTurn, inTurn).finally(() => (place.waiting -= 1));
      place.turn = result.catch(() => undefined);
      return result;
    },
  };
}

/** Whoever has one IPv6 address has the 2^64 around it. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::', 2);
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  return [...groups, ...Array.from({ length: missing }, () => '0')].slice(0, 4).join(':');
}
