// Waits for more output of a task. Lines are announced on the server that runs it, and on others whose clients wait.
import { EventEmitter, once } from 'node:events';
import { LRUCache } from 'lru-cache';
import type { Events } from '../platform/database/events.ts';

export interface OutputEvents {
  /** To be called when a task of this server has printed lines. */
  printed(id: string): void;
  /** Wakes those who wait for this task; absent for any. */
  announce(id: string | undefined): void;
  /** To be called with each event of another server. */
  hear(event: string): void;
  /** Resolves with the next lines, after a timeout, or when `signal` aborts. */
  next(id: string, milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** Events with the id of a task: somebody waits for its lines; it has printed some. */
const FOLLOW = 'follow:';
const LINES = 'lines:';

/** Milliseconds between polls of a task on another server, in case its event is lost. */
const POLL_MS = 1000;
/** Milliseconds for which lines are announced to other servers, and after which a waiting one asks again. */
const FOLLOWED_MS = 30_000;
const ASKED_MS = 10_000;
const MAX_TASKS = 10_000;

/** @param isElsewhere whether the task may run on another server */
export function createOutputEvents(
  isElsewhere: (id: string) => boolean,
  events: Pick<Events, 'publish'>,
): OutputEvents {
  const woken = new EventEmitter().setMaxListeners(0);
  const followed = new LRUCache<string, true>({ max: MAX_TASKS, ttl: FOLLOWED_MS });
  const asked = new LRUCache<string, true>({ max: MAX_TASKS, ttl: ASKED_MS });

  function ask(id: string): void {
    if (asked.has(id)) return;
    asked.set(id, true);
    events.publish(FOLLOW + id);
  }

  /** Also before the task runs here: it may wait for its turn. */
  function follow(id: string): void {
    // Lines printed since the other server looked.
    if (!followed.has(id) && !isElsewhere(id)) events.publish(LINES + id);
    followed.set(id, true);
  }

  return {
    printed(id) {
      woken.emit(id);
      if (followed.has(id)) events.publish(LINES + id);
    },
    announce(id) {
      for (const name of id === undefined ? woken.eventNames() : [id]) woken.emit(name);
    },
    hear(event) {
      if (event.startsWith(FOLLOW)) follow(event.slice(FOLLOW.length));
      else if (event.startsWith(LINES)) woken.emit(event.slice(LINES.length));
    },
    async next(id, milliseconds, signal) {
      const elsewhere = isElsewhere(id);
      const most = Math.ceil(elsewhere ? Math.min(POLL_MS, milliseconds) : milliseconds);
      const enough = AbortSignal.any([signal, AbortSignal.timeout(most)]);
      const more = once(woken, id, { signal: enough });
      if (elsewhere) ask(id);
      await more.catch(() => undefined);
    },
  };
}
