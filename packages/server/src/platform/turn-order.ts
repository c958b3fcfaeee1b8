// Decides whose work starts next, so that nobody waits for all work of another person.
import { createRecent } from './recent.ts';

export interface TurnOrder {
  /**
   * The next one: of a person with the fewest running ones, and of several, of the one who started none for longest.
   * @param waiting in the order in which they came, at least one
   * @param running persons, once for each that runs
   */
  next<Waiting extends { readonly person: string }>(
    waiting: readonly Waiting[],
    running: readonly string[],
  ): Waiting;
}

/** People of whom it is known when they last started one. */
const REMEMBERED = 10_000;

export function createTurnOrder(): TurnOrder {
  const last = createRecent<number>(REMEMBERED);
  let started = 0;
  return {
    next(waiting, running) {
      const before = (person: string) => [
        running.filter((one) => one === person).length,
        last.get(person) ?? 0,
      ];
      const chosen = waiting.reduce((best, one) =>
        isLess(before(one.person), before(best.person)) ? one : best,
      );
      last.set(chosen.person, (started += 1));
      return chosen;
    },
  };
}

function isLess([count = 0, time = 0]: number[], [otherCount = 0, otherTime = 0]: number[]): boolean {
  return count === otherCount ? time < otherTime : count < otherCount;
}
