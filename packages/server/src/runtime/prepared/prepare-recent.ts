// After a start of the server: processes are prepared for what ran last, so that its first visitors do not wait. One after
// another, and only while the machine has nothing else to do.
import { cpus } from 'node:os';

export interface PrepareRecentOptions<T> {
  /** What ran last, the newest first. */
  readonly recent: () => Promise<readonly T[]>;
  /** In the background; there may be one already. */
  readonly prepare: (one: T) => Promise<void>;
  /** The share of the processors that is free over a moment, from 0 to 1. */
  readonly idleShare?: (signal: AbortSignal) => Promise<number>;
  /** Milliseconds between looks. */
  readonly pause?: number;
  readonly signal: AbortSignal;
}

/** Half of a machine is left to visitors; what loads packages takes one processor. */
const ENOUGH = 0.5;
/** Looks at a busy machine, after which nobody is waited for any more. */
const MOST_LOOKS = 300;
const PAUSE_MS = 2000;

/** Answers how many it prepared. */
export async function prepareRecent<T>(options: PrepareRecentOptions<T>): Promise<number> {
  const { recent, prepare, idleShare = share, pause = PAUSE_MS, signal } = options;
  let prepared = 0;
  let looks = 0;
  for (const one of await recent()) {
    for (;;) {
      await sleep(pause, signal);
      if (signal.aborted || (looks += 1) > MOST_LOOKS) return prepared;
      if ((await idleShare(signal)) >= ENOUGH) break;
    }
    if (signal.aborted) return prepared;
    await prepare(one);
    prepared += 1;
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

/** Keeps no server running. */
function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, milliseconds).unref();
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
