// Schedules deploys, drafts and renders across all servers: one at a time per content item, with a total limit. People
// take turns.
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Storage } from '../platform/database/storage.ts';
import { failureOf } from '../platform/database/unreachable.ts';
import { createTurnOrder } from '../platform/turn-order.ts';
import { beginTasks } from './lease-store.ts';

export interface Turns extends Disposable {
  /** Resolves when the task may start, and also when it has ended or another server has it. */
  turn(id: string): Promise<void>;
  /** To be called when any task has ended, on any server. */
  look(): void;
  /** Queued tasks. */
  readonly waiting: ReadonlySet<string>;
}

export interface TurnsOptions {
  readonly storage: Storage;
  readonly node: string;
  readonly atOnce: number;
  readonly log: Logger;
}

/** Milliseconds between polls, in case an event is lost. */
const LOOK_MS = 5000;
/** Milliseconds that a task lets waiting requests use the database first, and between checks. */
const PATIENCE_MS = 1000;
const CALM_MS = 10;

export function createTurns({ storage, node, atOnce, log }: TurnsOptions): Turns {
  const waiting = new Map<string, () => void>();
  let looking: Promise<void> | null = null;
  let isWanted = false;
  const order = createTurnOrder();

  async function begin(): Promise<void> {
    while (isWanted && waiting.size > 0) {
      await untilCalm();
      isWanted = false;
      const ids = new Set(waiting.keys());
      const limits = { node, atOnce, order };
      const { begun, over } = await storage.write((tx) => beginTasks(tx, ids, limits), 'turns');
      for (const id of [...begun, ...over]) {
        waiting.get(id)?.();
        waiting.delete(id);
      }
    }
  }

  /** Lets requests go first: acknowledging a deploy takes precedence over running one. */
  async function untilCalm(): Promise<void> {
    const latest = performance.now() + PATIENCE_MS;
    while ((storage.connections()?.waiting ?? 0) > 0 && performance.now() < latest) await delay(CALM_MS);
  }

  function look(): void {
    isWanted = true;
    if (waiting.size === 0) return;
    looking ??= begin()
      .catch(failureOf('tasks that wait', log))
      .finally(() => {
        looking = null;
        if (isWanted) look();
      });
  }

  const timer = setInterval(look, LOOK_MS).unref();
  return {
    turn(id) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.set(id, resolve);
      look();
      return promise;
    },
    look,
    get waiting() {
      return new Set(waiting.keys());
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
