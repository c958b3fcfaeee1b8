// Slows down guessing: failed attempts cause growing delays, by account, network and browser. Nothing is ever locked. A
// browser that has signed in before has a budget of its own, which strangers cannot use up.
import { ApiError, errors } from '@pressroom/api/contract';
import pLimit from 'p-limit';
import type { Clock } from '../platform/clock.ts';
import type { Guesses } from './shared-guesses.ts';

export interface Attempt {
  /** The subject: a username, or another guessable value. */
  readonly username: string;
  /** Source address; empty if it does not count. */
  readonly address: string;
  /** The browser, if it has signed in to this account before. */
  readonly device: string | null;
}

export interface Throttle {
  /**
   * Runs a sign-in check when its turn has come.
   * @throws ApiError errors of the check; 30 with status 429 if too many attempts are waiting.
   */
  attempt<T>(attempt: Attempt, check: () => Promise<T>): Promise<T>;
}

/** Free failures, waiting attempts, and the maximum delay of a place. */
interface Budget {
  readonly free: number;
  readonly waiting: number;
  readonly longestMs: number;
}

/** For an account from one network, or from a known browser. */
const NEAR: Budget = { free: 4, waiting: 5, longestMs: 30_000 };
/** For an account from anywhere: distributed guessing. */
const ACCOUNT: Budget = { free: 40, waiting: 20, longestMs: 30_000 };
/** For an account from its known browsers: they are not slowed down, but whoever has many must not fill the queues. */
const OWNER: Budget = { free: Infinity, waiting: 10, longestMs: 0 };
/** For a network with any account: password spraying. Many people may share a network. */
const NETWORK: Budget = { free: 40, waiting: 20, longestMs: 5000 };
/** For the networks of an IPv6 site with any account: one subscriber may have thousands of networks. */
const SITE: Budget = { free: 200, waiting: 20, longestMs: 5000 };
/** In total: more than people mistype. */
const ALL: Budget = { free: 1000, waiting: 200, longestMs: 100 };

/** Concurrent checks for strangers: below the capacity, so that known browsers never wait for them. */
const STRANGERS_AT_ONCE = 6;
/** Including queued ones. */
const MAX_STRANGERS = 48;
const FIRST_WAIT_MS = 1000;
const RETRY_AFTER_SECONDS = 60;
/** Microseconds without an attempt after which failures expire: a quarter of an hour. */
export const FORGOTTEN_AFTER = 900_000_000;
const PLACES_KEPT = 40_000;
/** Failures after which a known browser counts as a stranger: it may be somebody else's by now. */
const DEVICE_FAILURES = 20;

interface Place {
  readonly key: string;
  failures: number;
  waiting: number;
  last: number;
  turn: Promise<unknown>;
}

/**
 * @param pause waits for milliseconds.
 * @param guesses shared with other servers; null for a single one.
 */
export function createThrottle(
  clock: Clock,
  pause: (ms: number) => Promise<void>,
  guesses: Guesses | null = null,
): Throttle {
  const places = new Map<string, Place>();
  const strangers = pLimit(STRANGERS_AT_ONCE);

  function placeOf(key: string): Place {
    const now = clock.now();
    const kept = places.get(key);
    const fresh = kept && (kept.waiting > 0 || now - kept.last < FORGOTTEN_AFTER);
    const place = fresh ? kept : { key, failures: 0, waiting: 0, last: now, turn: Promise.resolve() };
    place.last = now;
    // Reinserted, so that the map is ordered by the last attempt and the oldest is removed first.
    places.delete(key);
    places.set(key, place);
    if (places.size > PLACES_KEPT) places.delete(places.keys().next().value!);
    return place;
  }

  /** Refused attempts must not push out the failures of others. */
  function dropIfEmpty(place: Place): void {
    if (place.failures === 0 && place.waiting === 0 && places.get(place.key) === place)
      places.delete(place.key);
  }

  /** The places of an attempt, narrowest first; a success clears the first. */
  function placesOf({ username, address, device }: Attempt): [place: Place, budget: Budget][] {
    const name = foldedName(username);
    if (device !== null) {
      const known = placeOf(`device ${device} ${name}`);
      if (known.failures < DEVICE_FAILURES)
        return [
          [known, NEAR],
          [placeOf(`owner ${name}`), OWNER],
        ];
    }
    const network = networkOf(address);
    const near: [Place, Budget] = [placeOf(`near ${network} ${name}`), NEAR];
    if (address === '') return [near];
    return [
      near,
      [placeOf(`account ${name}`), ACCOUNT],
      [placeOf(`network ${network}`), NETWORK],
      ...(address.includes(':') ? [ofSite(network)] : []),
      [placeOf('all'), ALL],
    ];
  }

  const ofSite = (network: string): [Place, Budget] => [placeOf(`site ${siteOf(network)}`), SITE];

  /** Loads the failures counted by other servers. */
  async function learn(from: Guesses, attempt: Attempt): Promise<void> {
    const stranger = placesOf({ ...attempt, device: null });
    const keys = [...placesOf(attempt), ...stranger].map(([{ key }]) => key);
    const counts = await from.count(keys);
    // Meanwhile, another attempt may have dropped them.
    for (const [i, key] of keys.entries()) placeOf(key).failures = counts[i] ?? 0;
  }

  /** Milliseconds until the turn, across all servers, of an attempt that is next on this one. */
  async function turnOfAll(from: Guesses, { key }: Place, budget: Budget, isNear: boolean): Promise<number> {
    const wait = await from.takeTurn(key, (failures) => waitAfter(failures, budget), isNear);
    // Bounded: the clock of another server may be ahead.
    return Math.min(wait, budget.longestMs * budget.waiting);
  }

  /** One by one in each place with more failures than typing mistakes, and always in the narrowest. */
  function through<T>(mine: readonly [Place, Budget][], i: number, check: () => Promise<T>): Promise<T> {
    const here = mine[i];
    if (here === undefined) return check();
    const [place, budget] = here;
    if (i > 0 && place.failures < budget.free) return through(mine, i + 1, check);
    const checkAfterPause = async () => {
      const wait = guesses
        ? await turnOfAll(guesses, place, budget, i === 0)
        : waitAfter(place.failures, budget);
      if (wait > 0) await pause(wait);
      return through(mine, i + 1, check);
    };
    const result = place.turn.then(checkAfterPause);
    place.turn = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  async function asStranger<T>(check: () => Promise<T>): Promise<T> {
    if (strangers.activeCount + strangers.pendingCount >= MAX_STRANGERS) throw tooMany();
    return strangers(check);
  }

  return {
    async attempt(attempt, check) {
      if (guesses) await learn(guesses, attempt);
      const mine = placesOf(attempt);
      // In a browser or network, and for an account, also without failures.
      if (mine.some(([place, budget], i) => isFull(place, budget, i <= 1))) {
        for (const [place] of mine) dropIfEmpty(place);
        throw tooMany();
      }
      for (const [place] of mine) place.waiting += 1;
      try {
        const isStranger = mine.at(-1)?.[1] === ALL;
        const value = await through(mine, 0, isStranger ? () => asStranger(check) : check);
        for (const [place] of mine.slice(0, 1)) place.failures = 0;
        if (guesses) await share(guesses, mine, 'in');
        return value;
      } catch (error) {
        const failed = error instanceof ApiError && error.code === 30 && error.status !== 429;
        if (failed) for (const [place] of mine) place.failures += 1;
        if (guesses) await share(guesses, mine, failed ? 'failed' : 'neither');
        throw error;
      } finally {
        for (const [place] of mine) {
          place.waiting -= 1;
          dropIfEmpty(place);
        }
      }
    },
  };
}

/** The same for all spellings that a directory may treat as one name. Sometimes two people share it, and a budget. */
function foldedName(username: string): string {
  const folded = username.slice(0, 255).normalize('NFKD').toUpperCase().toLowerCase().normalize('NFKD');
  return folded.replace(/[^\p{L}\p{N}@._+-]/gu, '');
}

/** Milliseconds. */
function waitAfter(failures: number, { free, longestMs }: Budget): number {
  return failures < free ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (failures - free), longestMs);
}

/** Reports the result of an attempt, which counted as a failure in its narrowest place until now, to other servers. */
async function share(
  guesses: Guesses,
  mine: readonly [Place, Budget][],
  outcome: 'in' | 'failed' | 'neither',
): Promise<void> {
  const [near = '', ...wider] = mine.map(([{ key }]) => key);
  if (outcome === 'in') await guesses.forget(near);
  else if (outcome === 'neither') await guesses.refund(near);
  else for (const key of wider) await guesses.fail(key);
}

function isFull(place: Place, { free, waiting }: Budget, always: boolean): boolean {
  return (always || place.failures >= free) && place.waiting >= waiting;
}

function tooMany(): ApiError {
  const message = 'too many attempts to sign in: wait a minute';
  return errors.invalidCredentials({ message, status: 429, retryAfter: RETRY_AFTER_SECONDS });
}

/** The owner of one IPv6 address usually has a whole /64. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::', 2);
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  return [...groups, ...Array.from({ length: missing }, () => '0')].slice(0, 4).join(':');
}

/** Subscribers get up to a /48, which has 65,536 networks. Itself for IPv4. @param network of `networkOf` */
export function siteOf(network: string): string {
  return network.split(':').slice(0, 3).join(':');
}
