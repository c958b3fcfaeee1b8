// Figures of a bundle: requests, failures, times, pages with script errors, and ends of processes. Times are kept in a
// histogram, so that the figures of several servers can be added up.
import type { Executor } from '../platform/database/storage.ts';
import { listFigures, type CanarySide } from './store.ts';

export interface Figures {
  /** Answered requests. */
  readonly requests: number;
  /** Requests with a status of 500 or above. */
  readonly errors: number;
  /** Opened pages, and those with a script error. */
  readonly pages: number;
  readonly script_errors: number;
  /** Crashed processes, and those that did not start. */
  readonly crashes: number;
  readonly failed_starts: number;
  /** Health checks that were made, and those that failed. */
  readonly health_checks: number;
  readonly health_failures: number;
  /** Histogram of response times: each bucket ends at 1.25 times the one before, starting at 1 ms. */
  readonly times: readonly number[];
}

export type MutableFigures = { -readonly [K in keyof Figures]: K extends 'times' ? number[] : number };
type Count = Exclude<keyof Figures, 'times'>;

const GROWTH = Math.log(1.25);
/** The last bucket is open: two minutes and more. */
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

/** @param ms response time */
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

/** The time in milliseconds within which this share of requests was answered, to a quarter; null without requests. */
export function quantile({ times }: Pick<Figures, 'times'>, part: number): number | null {
  const all = times.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let passed = 0;
  const at = times.findIndex((count) => (passed += count) >= all * part);
  return Math.round(Math.exp(at * GROWTH));
}

/** Of all servers together. */
export async function figuresOf(db: Executor, canaryId: number): Promise<Record<CanarySide, Figures>> {
  const rows = await listFigures(db, canaryId);
  const of = (wanted: CanarySide) =>
    addFigures(rows.filter(({ side }) => side === wanted).map(({ figures }) => storedFigures(figures)));
  return { live: of('live'), canary: of('canary') };
}

/** As stored: JSON written by a server. */
export function storedFigures(json: string): Figures {
  return { ...noFigures(), ...(JSON.parse(json) as Partial<Figures>) };
}
