// After a start, prepares processes for recently used content, so that first visitors do not wait: one after another,
// and only while the machine is idle.
import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

export interface PrepareRecentOptions<T> {
  /** Recently used content, newest first. */
  readonly recent: () => Promise<readonly T[]>;
  /** Prepares in the background, unless there is one. */
  readonly prepare: (one: T) => Promise<void>;
  /** The idle share of the processors, from 0 to 1. */
  readonly idleShare?: (signal: AbortSignal) => Promise<number>;
  /** Milliseconds between measurements. */
  readonly pause?: number;
  readonly signal: AbortSignal;
}

/** Half of the machine is left to visitors; loading packages takes one processor. */
const ENOUGH = 0.5;
/** Measurements of a busy machine before giving up. */
const MAX_CHECKS = 300;
const PAUSE_MS = 2000;

/** Returns the number of prepared ones. */
export async function prepareRecent<T>(options: PrepareRecentOptions<T>): Promise<number> {
  const { recent, prepare, idleShare = share, pause = PAUSE_MS, signal } = options;
  let prepared = 0;
  let looks = 0;
  try {
    for (const one of await recent()) {
      for (;;) {
        await sleep(pause, signal);
        if (signal.aborted || (looks += 1) > MAX_CHECKS) return prepared;
        if ((await idleShare(signal)) >= ENOUGH) break;
      }
      if (signal.aborted) return prepared;
      await prepare(one);
      prepared += 1;
    }
  } catch (error) {
    // The database closes during a stop.
    if (!signal.aborted) throw error;
  }
  return prepared;
}

const MOMENT_MS = 1000;

async function share(signal: AbortSignal): Promise<number> {
  const before = times();
  await sleep(MOMENT_MS, signal);
  const after = times();
  const all = after.all - before.all;
  return all > 0 ? (after.idle - before.idle) / all : 0;
}

function times(): { readonly idle: number; readonly all: number } {
  let [idle, all] = [0, 0];
  for (const cpu of cpus()) {
    idle += cpu.times.idle;
    all += Object.values(cpu.times).reduce((sum, time) => sum + time, 0);
  }
  return { idle, all };
}

/** Ends early when the signal aborts. Does not keep the process running. */
function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
}
