// Deploys, drafts and renders of all servers take turns: one at a time for each content item, so many at once in all.
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Storage } from '../platform/database/storage.ts';
import { beginTasks } from './lease-store.ts';

export interface Turns extends Disposable {
  /** Resolves when the task may begin, and also when it is over before that, or another server has it. */
  turn(id: string): Promise<void>;
  /** To be called when any task has ended, here or elsewhere. */
  look(): void;
  /** Those that wait. */
  readonly waiting: ReadonlySet<string>;
}

export interface TurnsOptions {
  readonly storage: Storage;
  readonly node: string;
  readonly atOnce: number;
  readonly log: Logger;
}

/** How often it is looked, should an event be lost. */
const LOOK_MS = 5000;
/** How long a task lets requests go first that wait for a connection to the database, and how often it looks at them. */
const PATIENCE_MS = 1000;
const CALM_MS = 10;

export function createTurns({ storage, node, atOnce, log }: TurnsOptions): Turns {
  const waiting = new Map<string, () => void>();
  let looking: Promise<void> | null = null;
  let isWanted = false;

  async function begin(): Promise<void> {
    while (isWanted && waiting.size > 0) {
      await untilCalm();
      isWanted = false;
      const ids = new Set(waiting.keys());
      const { begun, over } = await storage.write((tx) => beginTasks(tx, ids, { node, atOnce }), 'turns');
      for (const id of [...begun, ...over]) {
        waiting.get(id)?.();
        waiting.delete(id);
      }
    }
  }

  /** Requests come first: what they ask for is acknowledged before what was acknowledged is done. */
  async function untilCalm(): Promise<void> {
    const latest = performance.now() + PATIENCE_MS;
    while ((storage.connections()?.waiting ?? 0) > 0 && performance.now() < latest) await delay(CALM_MS);
  }

  function look(): void {
    isWanted = true;
    if (waiting.size === 0) return;
    looking ??= begin()
      .catch((error: unknown) => log.error(error, 'tasks that wait'))
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
