// Failed sign-in attempts shared by several servers: guessing on all of them is as slow as on one.
import { createHmac } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { findGuesses, forgetGuess, forgetGuessesBefore, saveGuess, type GuessRow } from './guess-store.ts';

export interface Guesses {
  /** Failures in each of these places. */
  count(places: readonly string[]): Promise<number[]>;
  /**
   * Takes the next turn in a place, after those of other servers; returns the milliseconds until then.
   * @param waitAfter milliseconds of delay after a number of failures
   * @param counts whether the attempt counts as a failure until it is known to be none
   */
  takeTurn(place: string, waitAfter: (failures: number) => number, counts: boolean): Promise<number>;
  fail(place: string): Promise<void>;
  /** The attempt was no failure after all. */
  refund(place: string): Promise<void>;
  forget(place: string): Promise<void>;
  /** Removes expired rows. */
  sweep(): Promise<void>;
}

export interface GuessesOptions {
  readonly storage: Storage;
  readonly secrets: Pick<Secrets, 'derive'>;
  readonly clock: Clock;
  /** Id of this server. */
  readonly node: string;
  /** Microseconds without an attempt after which failures expire. */
  readonly forgottenAfter: number;
}

/** Null for a single server, which needs no sharing. */
export function createGuesses(options: GuessesOptions): Guesses | null {
  const { storage, secrets, clock, node, forgottenAfter } = options;
  if (!storage.isShared) return null;
  const key = secrets.derive('guesses');
  // Hashed, since a mistyped username may be a password.
  const hidden = (place: string) => createHmac('sha256', key).update(place).digest('base64url');
  const since = () => clock.now() - forgottenAfter;

  function change(place: string, work: (row: GuessRow, now: number) => GuessRow): Promise<GuessRow> {
    const id = hidden(place);
    return storage.write(async (tx: Executor) => {
      const now = clock.now();
      const [known] = await findGuesses(tx, [id], since());
      const row = { ...work(known ?? { place: id, failures: 0, last: now, next: 0, node }, now), last: now };
      await saveGuess(tx, row);
      return row;
    }, `guess:${id}`);
  }

  return {
    async count(places) {
      const ids = places.map(hidden);
      const rows = await findGuesses(storage.db, ids, since());
      const failures = new Map(rows.map((row) => [row.place, row.failures]));
      return ids.map((id) => failures.get(id) ?? 0);
    },
    async takeTurn(place, waitAfter, counts) {
      let wait = 0;
      await change(place, (row, now) => {
        const own = waitAfter(row.failures) * 1000;
        const failures = row.failures + (counts ? 1 : 0);
        if (own === 0) return { ...row, failures };
        // Attempts on this server wait for each other already.
        const next = (row.node === node ? now : Math.max(now, row.next)) + own;
        wait = next - now;
        return { ...row, failures, next, node };
      });
      return wait / 1000;
    },
    async fail(place) {
      await change(place, (row) => ({ ...row, failures: row.failures + 1 }));
    },
    async refund(place) {
      await change(place, (row) => ({ ...row, failures: Math.max(0, row.failures - 1) }));
    },
    forget: (place) => forgetGuess(storage.db, hidden(place)),
    sweep: () => forgetGuessesBefore(storage.db, since()),
  };
}
