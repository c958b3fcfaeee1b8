// One task from start to end: output and stages are written as they come, effects with its end.
import {
  ApiError,
  errors,
  type TaskEndReason,
  type TaskStage,
  type TaskStageName,
} from '@pressroom/api/contract';
import type { Logger } from 'pino';
import { type Clock, toTimestamp } from '../platform/clock.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import { diskRefusal } from '../platform/disk-refusal.ts';
import { Drained, handOver } from './hand-over.ts';
import { isHeld } from './lease-store.ts';
import { createMask, type Mask } from './mask.ts';
import { retryOutages } from './retry-outages.ts';
import { aboutTask, appendLines, findTask, finishTask, type Holder, type TaskRow } from './store.ts';
import { FAILED } from './take-over.ts';
import { createOutput } from './task-output.ts';

export interface TaskContext {
  /** Adds a line to the output; line breaks split it. */
  log(line: string): void;
  /** Starts a stage: later output belongs to it. */
  stage(name: TaskStageName): void;
  /** Masks these values in later output, and in the error that ends the task. */
  hide(secrets: Iterable<string>): void;
  readonly signal: AbortSignal;
  /**
   * Increases when another server had started it: files of earlier attempts are not touched, as that server may return.
   */
  readonly attempt: number;
  /**
   * To be called in a transaction whose effects are visible before the end of the task. @throws ApiError 1 if the task
   * has ended, or another server has it: nothing done here counts any more
   */
  readonly requireLease: (tx: Executor) => Promise<void>;
}

/** Work for the transaction that ends the task. */
export type Completion = (tx: Executor) => Promise<void>;

export type TaskWork = (context: TaskContext) => Promise<Completion>;

export interface TaskRunner {
  /** @param started called once the task is held; a task that ended meanwhile, or that another server has, is left alone */
  run(
    id: string,
    work: TaskWork,
    options: { signal: AbortSignal; started: (holder: Holder) => void; about?: string | undefined },
  ): Promise<void>;
  /** Ends a task, unless another server has it. @param error ends it as failed */
  finish(id: string, holder: Holder, error: ApiError): Promise<void>;
}

export interface TaskRunnerOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Logger;
  /** Id of this server. */
  readonly node: string;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  /** Whether a failed task is left to another server, or to this one after its restart. */
  readonly isLeft: (kind: TaskRow['kind']) => boolean;
  /** Called in the transaction that ends a task. */
  readonly changed: (tx: Executor, id: string) => Promise<void>;
  /** Called after lines were written. */
  readonly printed: (id: string) => void;
}

/** Ends work before it has succeeded or failed. */
export class EarlyEnd extends ApiError {
  readonly reason: TaskEndReason;

  constructor(reason: TaskEndReason, message: string) {
    super(FAILED, { message });
    this.reason = reason;
  }
}

const INTERNAL = 'Internal failure';
const NOT_WRITTEN =
  'The server could not write to its database; its disk may be full. What was active before stays. Start it again.';
const STOPS = 'The server that ran this task stops. Another one starts it again.';

/** Milliseconds between attempts; the storage waits by itself, too. */
const AGAIN_MS = 500;

/** Another server has the task: work done here no longer counts. */
export const takenOver = () => errors.internal({ message: 'Another server has taken over this task.' });
/** The end of a task whose own could not be written. */
export const notWritten = () => errors.internal({ message: NOT_WRITTEN });

export function createTaskRunner(options: TaskRunnerOptions): TaskRunner {
  const { storage, clock, log, node, stopping, isLeft, changed, printed } = options;
  const { db } = storage;

  /** The result of a task survives a lost database connection and a late cancellation. */
  const keep = <T>(write: () => Promise<T>) =>
    retryOutages({ log: () => undefined, signal: stopping, triesLast: true }, write, AGAIN_MS);

  /** What the work of a task gets, and what its end needs. */
  function begin({ id, stages: known, lines, attempt }: TaskRow, holder: Holder, signal: AbortSignal) {
    const stages = JSON.parse(known) as TaskStage[];
    let mask: Mask = (text) => text;
    const output = createOutput(async (from, added) => {
      const more = { from, lines: added, stages: JSON.stringify(stages) };
      const isOurs = await keep(() =>
        storage.write((tx) => appendLines(tx, id, more, holder), aboutTask(id)),
      );
      if (!isOurs) throw takenOver();
      printed(id);
    }, lines);
    const context: TaskContext = {
      log: (line) => output.write(mask(line)),
      stage(name) {
        stages.push({ name, line: output.lines(), time: toTimestamp(clock.now()) });
        output.touch();
      },
      hide(secrets) {
        mask = createMask(secrets);
      },
      signal,
      attempt,
      async requireLease(tx) {
        signal.throwIfAborted();
        if (!(await isHeld(tx, id, holder))) throw takenOver();
      },
    };
    return { context, output, masked: (error: unknown) => masked(error, mask) };
  }

  async function finish(
    id: string,
    holder: Holder,
    error: unknown,
    completion?: Completion,
    about = aboutTask(id),
  ): Promise<void> {
    const failure = error instanceof ApiError ? { code: error.code, error: error.message } : null;
    const result = error === null ? { code: 0, error: '' } : (failure ?? { code: FAILED, error: INTERNAL });
    const reason = error instanceof EarlyEnd ? error.reason : null;
    await storage.write(async (tx) => {
      if (!(await finishTask(tx, id, { ...result, reason, time: clock.now() }, holder))) return;
      await completion?.(tx);
      await changed(tx, id);
    }, about);
  }

  /** A failure after a takeover is no failure of the task. */
  async function logFailure(id: string, holder: Holder, error: unknown, what: string): Promise<void> {
    if (await isHeld(db, id, holder).catch(() => true)) log.error(error, 'task %s %s', id, what);
    else log.info('task %s was taken over by another server', id);
  }

  return {
    finish,
    async run(id, work, { signal, started, about }) {
      const task = await findTask(db, id);
      // Cancelled while queued, or deleted, or taken over.
      if (task?.finished !== 0 || task.node !== node) return;
      const holder = { node, attempt: task.attempt };
      started(holder);
      const { context, output, masked } = begin(task, holder, signal);
      let failure: unknown = null;
      let completion: Completion | undefined;
      try {
        // Cancelled meanwhile: the work would wait for a signal that has fired already.
        signal.throwIfAborted();
        completion = await work(context);
      } catch (error) {
        if (isLeft(task.kind)) {
          output.write(STOPS);
          await output.flush().catch((failed: unknown) => log.error(failed, 'output of task %s', id));
          return;
        }
        if (error instanceof Drained && !signal.aborted) {
          await output.flush();
          if (await keep(() => handOver(storage, id, holder))) return;
        }
        failure = masked(signal.aborted ? signal.reason : error);
        if (!(failure instanceof ApiError)) await logFailure(id, holder, error, 'failed');
        failure = diskRefusal(failure) ?? failure;
        output.write(
          failure instanceof ApiError ? `Error: ${failure.message} (code ${failure.code})` : INTERNAL,
        );
      }
      try {
        await output.flush();
        await keep(() => finish(id, holder, failure, completion, about));
      } catch (error) {
        await logFailure(id, holder, error, 'could not be completed');
        await finish(id, holder, error instanceof ApiError ? error : notWritten());
      }
    },
  };
}

/** Masks secrets in an error whose message may come from content. */
function masked(error: unknown, mask: Mask): unknown {
  if (!(error instanceof ApiError) || error instanceof EarlyEnd || mask(error.message) === error.message)
    return error;
  return new ApiError(error.code, { message: mask(error.message), cause: error });
}
