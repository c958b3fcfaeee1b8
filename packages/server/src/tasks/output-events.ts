// Waits for more output of a task, whose lines are written by the server that runs it.
import { EventEmitter, once } from 'node:events';

export interface OutputEvents {
  /** Wakes those who wait for this task; absent for any. */
  announce(id: string | undefined): void;
  /** Resolves with the next lines, after a timeout, or when `signal` aborts. */
  next(id: string, milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** Milliseconds between polls of a task on another server, whose lines are not announced here. */
const POLL_MS = 1000;

/** @param isElsewhere whether the task may run on another server */
export function createOutputEvents(isElsewhere: (id: string) => boolean): OutputEvents {
  const printed = new EventEmitter().setMaxListeners(0);
  return {
    announce(id) {
      for (const name of id === undefined ? printed.eventNames() : [id]) printed.emit(name);
    },
    async next(id, milliseconds, signal) {
      const most = Math.ceil(isElsewhere(id) ? Math.min(POLL_MS, milliseconds) : milliseconds);
      const enough = AbortSignal.any([signal, AbortSignal.timeout(most)]);
      await once(printed, id, { signal: enough }).catch(() => undefined);
    },
  };
}
