// Tasks of lost servers: restarted if possible, else ended with the reason.
import type { Logger } from 'pino';
import type { Clock } from '../platform/clock.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import { SERIAL_KINDS, orphanedTasks, takeTask } from './lease-store.ts';
import { aboutTask, appendLines, findTask, finishTask, type TaskRow } from './store.ts';

export interface TakeOver {
  /**
   * Takes over tasks of lost servers, and those of this server whose database response was lost.
   * @param resume starts a task; false if it cannot
   */
  takeOrphans(resume: (task: TaskRow) => Promise<boolean>): Promise<void>;
  /** Ends a task of a lost server, unless somebody else has it by now. */
  interrupt(task: TaskRow): Promise<void>;
}

export interface TakeOverOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Logger;
  /** Id of this server. */
  readonly node: string;
  /** Whether this server runs a task or has it queued. */
  readonly isHere: (id: string) => boolean;
  /** Called in the transaction that ends a task. */
  readonly changed: (tx: Executor, id: string) => Promise<void>;
  readonly announceEnd: (id: string) => void;
}

/** The code of a failed task without an error code of its own. */
export const FAILED = 1;
export const INTERRUPTED = 'The server stopped while this task was running. Start it again.';
const GONE = 'The server that ran this task is gone. Another one starts it again.';

/** Microseconds. */
export const LEASE = 20_000_000;
/** Lost servers after which a task is ended: it may be the cause. */
const MAX_LOSSES = 2;

export function createTakeOver(options: TakeOverOptions): TakeOver {
  const { storage, clock, log, node, isHere, changed, announceEnd } = options;

  function take(task: TaskRow, isLoss: boolean): Promise<boolean> {
    const until = clock.now() + LEASE;
    return storage.write(async (tx) => {
      if (!(await takeTask(tx, task, { node, until, isLoss }))) return false;
      const holder = { node, attempt: task.attempt + 1 };
      const { lines, stages } = (await findTask(tx, task.id)) ?? task;
      if (isLoss) await appendLines(tx, task.id, { from: lines, lines: [GONE], stages }, holder);
      return true;
    }, aboutTask(task.id));
  }

  async function interrupt(task: TaskRow): Promise<void> {
    await storage.write(async (tx) => {
      const end = { code: FAILED, error: INTERRUPTED, reason: 'interrupted', time: clock.now() } as const;
      const { lines, stages } = (await findTask(tx, task.id)) ?? task;
      await appendLines(tx, task.id, { from: lines, lines: [`Error: ${INTERRUPTED}`], stages }, task);
      if (await finishTask(tx, task.id, end, task)) await changed(tx, task.id);
    });
    announceEnd(task.id);
  }

  return {
    interrupt,
    async takeOrphans(resume) {
      for (const task of await orphanedTasks(storage.db, clock.now(), node)) {
        if (task.node === node && isHere(task.id)) continue;
        const isReleased = task.lease_until === 0;
        const isLoss = task.begun === 1 && !isReleased;
        const mayStart = isReleased || SERIAL_KINDS.includes(task.kind);
        if (!mayStart || (isLoss && task.losses >= MAX_LOSSES)) await interrupt(task);
        else if (await take(task, isLoss)) {
          const from = isReleased ? 'that another server left' : 'of a server that is gone';
          log.warn({ task: task.id, from: task.node }, `taking over a task ${from}`);
          if (!(await resume(task))) await interrupt({ ...task, node, attempt: task.attempt + 1 });
        }
      }
    },
  };
}
