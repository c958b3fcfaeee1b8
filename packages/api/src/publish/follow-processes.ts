// Follows the logs of a content item's processes: running ones, and those that start later.
import {
  type CallFailure,
  type CallOptions,
  type Client,
  type ClientClock,
  isCallFailure,
  NoResponseError,
  systemClock,
} from '../client/index.ts';
import { backOff } from '../client/retry.ts';
import type { Job, JobLog } from '../contract/index.ts';

/** Milliseconds between checks for new processes, and between reads on a server that does not wait. */
const PAUSE_MS = 1000;
/** Seconds that a request waits for lines. */
const WAIT = 20;
/** Milliseconds between requests while the server does not respond. */
const LOST_MS = { first: 1000, most: 30_000 };
/** Milliseconds between requests, so that a busy process does not cause one per line. */
const BREATH_MS = 100;

export interface FollowOptions {
  /** Only this process, until it ends. */
  readonly key?: string | undefined;
  /** Number of lines of the first log to skip. */
  readonly first?: number;
  readonly signal: AbortSignal;
  /** Milliseconds between checks for new processes. */
  readonly pause?: number;
  readonly clock?: Pick<ClientClock, 'sleep' | 'random'>;
  /** Nothing has run yet. */
  onNone?(): void;
  /** @param later whether it started while others were followed */
  onStart?(job: Job, later: boolean): void;
  /** @param shared whether another process is followed as well */
  onLines(process: string, lines: JobLog['entries'], shared: boolean): void;
  onEnd?(job: Job): void;
  /** The server does not respond: it is asked again until it does, and following goes on where it was. */
  onLost?(failure: CallFailure): void;
  /** It responds again. */
  onBack?(): void;
}

/**
 * Ends with the process if one is given. Throws the signal's reason if cancelled, what the first request throws, and
 * later failures that do not pass by themselves.
 */
export async function followProcesses(
  client: Pick<Client, 'getContentJobs' | 'getContentJobLog'>,
  guid: string,
  {
    key,
    first = 0,
    pause = PAUSE_MS,
    clock = systemClock,
    onNone,
    onStart,
    onEnd,
    onLost,
    onBack,
    ...options
  }: FollowOptions,
): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  const followed = new Set<string>();
  const running = new Set<string>();
  /** As the list says: older servers do not say so with the log. */
  const ended = new Set<string>();

  let hasBegun = false;
  /** Requests that failed last. */
  let lost = 0;

  async function ask<T>(request: (options: CallOptions) => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures += 1) {
      try {
        // What is asked again here is not asked again by the client, too.
        const response = await request({ signal, ...(hasBegun && { retries: 0 }) });
        hasBegun = true;
        if (failures > 0) {
          lost -= 1;
          if (lost === 0) onBack?.();
        }
        return response;
      } catch (error) {
        if (!hasBegun || !mayPass(error)) throw error;
        if (failures === 0) {
          lost += 1;
          if (lost === 1) onLost?.(error);
        }
        await clock.sleep(backOff(LOST_MS, failures, clock), signal);
      }
    }
  }

  async function follow(process: string, from: number): Promise<void> {
    followed.add(process);
    running.add(process);
    await followLog(process, from, (lines) => options.onLines(process, lines, running.size > 1));
    running.delete(process);
  }

  async function followLog(
    process: string,
    first: number,
    print: (lines: JobLog['entries']) => void,
  ): Promise<void> {
    for (let from = first; ;) {
      const request = { guid, key: process, first: from, wait: WAIT };
      const { entries, last, finished } = await ask((call) => client.getContentJobLog(request, call));
      // Older servers return all lines each time, and do not wait.
      const fresh = last === undefined ? entries.slice(from) : entries;
      if (fresh.length > 0) print(fresh);
      from = last ?? entries.length;
      if ((finished ?? ended.has(process)) && fresh.length === 0) return;
      await clock.sleep(last === undefined ? PAUSE_MS : BREATH_MS, signal);
    }
  }

  if (key !== undefined) return follow(key, first);
  const list = () => ask((call) => client.getContentJobs({ guid }, call));
  const known = await list();
  const shown = toShow(known);
  for (const job of known) if (!shown.includes(job)) followed.add(job.key);
  if (known.length === 0) onNone?.();
  let from = first;
  for (let next = shown; ; next = await list()) {
    for (const job of next.toReversed()) {
      if (job.status !== 0) ended.add(job.key);
      if (followed.has(job.key)) continue;
      onStart?.(job, next !== shown);
      follow(job.key, from).then(
        () => onEnd?.(job),
        (error: unknown) => failed.abort(error),
      );
      from = 0;
    }
    await clock.sleep(pause, signal);
  }
}

function mayPass(error: unknown): error is CallFailure {
  if (!isCallFailure(error)) return false;
  if (error instanceof NoResponseError) return error.kind !== 'aborted' && error.kind !== 'tls';
  return error.status === 429 || (error.status ?? 0) >= 500;
}

/** Running processes; else the last one, whose log may say why. */
function toShow(jobs: readonly Job[]): Job[] {
  const running = jobs.filter(({ status }) => status === 0);
  return running.length > 0 ? running : jobs.slice(0, 1);
}
