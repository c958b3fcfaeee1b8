// Follows a task to its end, through lost connections, restarts and load balancers.
import { systemClock, type ClientClock } from '../../client/clock.ts';
import { isCallFailure, NoResponseError, RefusedError, type CallFailure } from '../../client/failures.ts';
import type { CallOptions, TaskState } from '../../client/methods.ts';
import { backOff, retryAfterOf } from '../../client/retry.ts';
import type { TaskEndReason, TaskStageName } from '../../contract/index.ts';
import { createTaskStages } from './task-stages.ts';

export type WatchEvent =
  /** One line of output; `index` counts from 0. */
  | { type: 'log'; line: string; index: number }
  /** The stage that starts with the next line. */
  | { type: 'stage'; stage: TaskStageName }
  /**
   * The task has ended; a code other than 0 means that the work failed, or ended early for a reason that some servers
   * report. `lines` is the number of its lines.
   */
  | {
      type: 'finished';
      task_id: string;
      code: number;
      error: string;
      end_reason: TaskEndReason | null;
      lines: number;
    }
  /** Nothing more can be determined for now; the task may still be running. Continue later with `first`. */
  | { type: 'unknown'; task_id: string; first: number; reason: string; failure: CallFailure };

export interface WatchOptions {
  /** Number of lines already seen; 0 by default. */
  first?: number;
  /** Maximum wait of one request in seconds, at most 20 (contract, section 4.7). 20 by default. */
  wait?: number;
  /** Stops watching: the iteration throws the signal's reason. The task continues. */
  signal?: AbortSignal | undefined;
  clock?: ClientClock;
  /** Consecutive failed lookups until the outcome is `unknown`; 10 by default. */
  patience?: number;
}

/** The part of a client that watchTask needs. */
export interface TaskReader {
  getTask(
    args: { id: string; first?: number; wait?: number; output_wait?: number },
    options?: CallOptions,
  ): Promise<TaskState>;
}

const MAX_WAIT = 20;
const DEFAULT_PATIENCE = 10;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 15_000;
/** Minimum milliseconds between two requests without news: some servers answer at once, whatever the wait. */
const MIN_INTERVAL_MS = 500;
/** Minimum milliseconds between two requests, so that a busy task does not cause one for each line. */
const BREATH_MS = 100;

/**
 * Yields every line of a task's output once and in order, then `finished` or `unknown`. Tolerates a bounded number of
 * consecutive lost connections, restarts and failing lookups (404, 141); an undetermined outcome is `unknown`, never
 * failed. Throws only the signal's reason.
 */
export async function* watchTask(
  client: TaskReader,
  id: string,
  options: WatchOptions = {},
): AsyncGenerator<WatchEvent, void, undefined> {
  const { signal, clock = systemClock, patience = DEFAULT_PATIENCE } = options;
  const longest = Math.min(MAX_WAIT, Math.max(0, options.wait ?? MAX_WAIT));
  /** Lines yielded so far. */
  let first = options.first ?? 0;
  /** Start of the next request; 0 after the server lost lines that were already seen. */
  let from = first;
  let wait = Math.min(1, longest);
  let failures = 0;
  const stages = createTaskStages();
  for (;;) {
    signal?.throwIfAborted();
    const began = clock.now();
    let task: TaskState;
    try {
      // A server that knows the second wait responds at the next line; others ignore it.
      const waits = { wait, output_wait: longest };
      task = await client.getTask({ id, first: from, ...waits }, { signal, retries: 0 });
    } catch (error) {
      signal?.throwIfAborted();
      if (!isCallFailure(error)) throw error;
      failures += 1;
      if (error instanceof RefusedError && error.code === 13 && from > 0) from = 0;
      if (failures > patience || !mayPass(error)) {
        yield { type: 'unknown', task_id: id, first, reason: error.message, failure: error };
        return;
      }
      await clock.sleep(delayOf(error, failures, clock), signal);
      continue;
    }
    failures = 0;
    const fresh = task.output.slice(first - from);
    const reported = task.stages ?? null;
    for (const line of fresh) {
      for (const stage of stages.upTo(first, line, reported)) yield { type: 'stage', stage };
      yield { type: 'log', line, index: first };
      first += 1;
      signal?.throwIfAborted();
    }
    for (const stage of stages.rest(reported)) yield { type: 'stage', stage };
    // A server that returns output in parts may have more although the task has ended.
    const more = task.finished && fresh.length > 0 && task.last > first;
    if (task.finished && !more) {
      const { code, error, end_reason = null } = task;
      yield { type: 'finished', task_id: id, code, error, end_reason, lines: first };
      return;
    }
    from = from + task.output.length < first ? from : first;
    const interval = fresh.length === 0 ? MIN_INTERVAL_MS : BREATH_MS;
    // Never longer, if the clock was set back meanwhile.
    const early = Math.min(interval, interval - (clock.now() - began));
    if (early > 0) await clock.sleep(early, signal);
    // For `wait`, lines arrive only when a request ends: short ones while there are some, long ones otherwise.
    wait = fresh.length > 0 ? Math.min(1, longest) : Math.min(longest, wait * 2);
  }
}

/** Whether another lookup may succeed: not for a refused key or an invalid request. */
function mayPass(failure: CallFailure): boolean {
  if (failure instanceof NoResponseError) return failure.kind !== 'aborted' && failure.kind !== 'tls';
  if (failure instanceof RefusedError) {
    if (failure.code === 13) return true;
    return failure.status === 404 || failure.status === 429 || failure.status >= 500;
  }
  return true;
}

function delayOf(failure: CallFailure, failures: number, clock: ClientClock): number {
  const delay = backOff({ first: FIRST_DELAY_MS, most: MAX_DELAY_MS }, failures - 1, clock);
  return Math.max(delay, Math.min(retryAfterOf(failure), MAX_DELAY_MS));
}
