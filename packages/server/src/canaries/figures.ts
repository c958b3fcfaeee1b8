// What is counted of a bundle: requests, those that failed, how long they took, pages whose scripts failed, and ends of
// processes. Times are kept in a histogram, so that the figures of several servers add up.
export interface Figures {
  /** Requests that were answered. */
  readonly requests: number;
  /** Of these, with a status of 500 or above. */
  readonly errors: number;
  /** Pages that were opened, and those on which a script failed. */
  readonly pages: number;
  readonly script_errors: number;
  /** Processes that ended by themselves with an error, and those that did not start. */
  readonly crashes: number;
  readonly failed_starts: number;
  /** How often the health path was asked for, and did not answer well. */
  readonly health_checks: number;
  readonly health_failures: number;
  /** Answers by how long they took: each entry is of up to 1.25 times the time of the one before, from 1 ms on. */
  readonly times: readonly number[];
}

export type MutableFigures = { -readonly [K in keyof Figures]: K extends 'times' ? number[] : number };
type Count = Exclude<keyof Figures, 'times'>;

const GROWTH = Math.log(1.25);
/** The last one is of all that take longer: two minutes. */
const BUCKETS = 54;

export function noFigures(): MutableFigures {
  return {
    requests: 0,
    errors: 0,
    pages: 0,
    script_errors: 0,
    crashes: 0,
    failed_starts: 0,
    health_checks: 0,
    health_failures: 0,
    times: [],
  };
}

/** @param ms how long the answer took */
export function addTime({ times }: MutableFigures, ms: number): void {
  const at = Math.min(BUCKETS - 1, Math.max(0, Math.ceil(Math.log(Math.max(ms, 1)) / GROWTH)));
  while (times.length <= at) times.push(0);
  times[at] = (times[at] ?? 0) + 1;
}

export function addFigures(all: readonly Figures[]): Figures {
  const sum = noFigures();
  for (const one of all) {
    for (const name of Object.keys(sum) as (keyof Figures)[])
      if (name !== 'times') sum[name satisfies Count] += one[name];
    for (const [at, count] of one.times.entries()) {
      while (sum.times.length <= at) sum.times.push(0);
      sum.times[at] = (sum.times[at] ?? 0) + count;
    }
  }
  return sum;
}

/** Milliseconds within which this part of the requests was answered, to a quarter; null without any. */
export function quantile({ times }: Pick<Figures, 'times'>, part: number): number | null {
  const all = times.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let passed = 0;
  const at = times.findIndex((count) => (passed += count) >= all * part);
  return Math.round(Math.exp(at * GROWTH));
}

/** As the database keeps it: JSON that a server wrote. */
export function storedFigures(json: string): Figures {
  return { ...noFigures(), ...(JSON.parse(json) as Partial<Figures>) };
}
