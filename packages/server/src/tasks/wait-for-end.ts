// Waits for the end of tasks on any server.
import { EventEmitter } from 'node:events';
import type { Storage } from '../platform/database/storage.ts';
import { findTask } from './store.ts';

export interface Ends {
  /** Wakes those who wait for this task; absent for any. */
  announce(id: string | undefined): void;
  /** Resolves when the task has ended, after a timeout, or when `signal` aborts. */
  wait(id: string, milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** Milliseconds between polls of a task on another server, in case its event is lost. */
const POLL_MS = 5000;

export function createEnds({ db, isShared }: Pick<Storage, 'db' | 'isShared'>): Ends {
  const ended = new EventEmitter().setMaxListeners(0);

  function endsWithin(id: string, milliseconds: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const stop = (result: boolean) => () => {
        clearTimeout(timer);
        ended.off(id, onEnd);
        signal.removeEventListener('abort', onAbort);
        resolve(result);
      };
      const [onEnd, onAbort] = [stop(true), stop(false)];
      const timer = setTimeout(stop(false), milliseconds);
      ended.once(id, onEnd);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  return {
    announce(id) {
      for (const name of id === undefined ? ended.eventNames() : [id]) ended.emit(name);
    },
    async wait(id, milliseconds, signal) {
      const deadline = performance.now() + milliseconds;
      for (let left = milliseconds; !signal.aborted && left > 0; left = deadline - performance.now()) {
        const pause = isShared ? Math.min(POLL_MS, left) : left;
        const hasEnded = await endsWithin(id, pause, signal);
        if (isShared ? (await findTask(db, id))?.finished !== 0 : hasEnded) return;
      }
    },
  };
}
