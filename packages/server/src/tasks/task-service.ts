// Tasks: work that goes on after the answer, its output line by line, and readers who wait for its end.
import { EventEmitter } from 'node:events';
import { ApiError, errors, type TaskStage, type TaskStageName } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import { type Clock, type Ids, toTimestamp } from '../platform/clock.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import { createMask, type Mask } from './mask.ts';
import {
  abandonedTasks,
  appendLines,
  findTask,
  finishTask,
  insertTask,
  readLines,
  removeTasksBefore,
  renewLeases,
  setStages,
  type TaskRow,
} from './store.ts';
import { createOutput } from './task-output.ts';

export type TaskSubject = (
  | {
      readonly kind: 'deploy' | 'draft' | 'render';
      readonly content_guid: string;
      readonly bundle_id: number;
      /** That is rendered; absent for the content itself. */
      readonly variant_key?: string;
      /** Its rendering is mailed. */
      readonly mails?: 1;
    }
  /** Its bundle comes from git, once it is fetched. */
  | { readonly kind: 'deploy'; readonly content_guid: string; readonly bundle_id: null }
  | { readonly kind: 'restart' | 'terminate'; readonly content_guid: string; readonly bundle_id: null }
  | { readonly kind: 'clear_cache'; readonly content_guid: null; readonly bundle_id: null }
) & { readonly user_guid: string };

export interface TaskContext {
  /** Adds a line to the output; line ends within it make several. */
  log(line: string): void;
  /** Says that a stage begins: what is logged from here on belongs to it. */
  stage(name: TaskStageName): void;
  /** Hides these values in everything that is logged from here on, and in the error that ends the task. */
  hide(secrets: Iterable<string>): void;
  readonly signal: AbortSignal;
}

/** What the work leaves to be done in the transaction that ends its task. */
export type Completion = (tx: Executor) => Promise<void>;

export interface TaskView {
  readonly task: TaskRow;
  readonly output: string[];
}

export interface TaskService extends AsyncDisposable {
  /** Records a task within a transaction; `run` starts its work once that is committed. */
  create(tx: Executor, subject: TaskSubject): Promise<string>;
  /** Does the work and ends the task; never rejects. @param about Storage.write, of what completes it */
  run(id: string, work: (context: TaskContext) => Promise<Completion>, about?: string): Promise<void>;
  /** @param wait Seconds to wait for the end. @throws ApiError 13 for a `first` beyond the output. */
  read(id: string, options: { first: number; wait: number; signal: AbortSignal }): Promise<TaskView | null>;
  find(id: string): Promise<TaskRow | undefined>;
  /** Tells running work to stop; work that has not begun, or runs on another server, ends here and now. */
  cancel(id: string): Promise<void>;
  /** Ends tasks that a crashed server left behind, and drops old ones. */
  sweep(): Promise<number>;
}

export interface TaskOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  /** Seconds that finished tasks are kept. */
  readonly retention: number;
  /** Told in the transaction in which a task is made or ends. */
  readonly onChange?: (tx: Executor, task: TaskRow) => Promise<void>;
}

/** The code of a failed task whose error carries none of the table's. */
const FAILED = 1;
export const INTERRUPTED = 'The server stopped while this task was running. Start the deploy again.';

const CANCELLED = 'The task was cancelled.';
const NOT_WRITTEN =
  'The server could not write to its database; its disk may be full. What was active before stays. Start it again.';

const cancelled = () => errors.internal({ message: CANCELLED });

const LEASE = 30_000_000;
const HEARTBEAT_MS = 10_000;
/** How often a task of another server is looked at while a reader waits, should an event about its end be lost. */
const POLL_MS = 5000;
/** Begins the events about tasks. */
const TASK = 'task:';

export function createTaskService(options: TaskOptions): TaskService {
  const { storage, clock, ids, log, retention, onChange } = options;
  const { db, events } = storage;
  const node = ids.uuid();
  const ended = new EventEmitter().setMaxListeners(0);
  const running = new Map<string, { abort: AbortController; done: Promise<void> }>();
  /** Tasks that are over but could not be ended, the database being out of reach or its disk full. */
  const unended = new Set<string>();
  const heartbeat = setInterval(() => {
    if (running.size + unended.size === 0) return;
    const renewed = renewLeases(db, node, clock.now() + LEASE).then(endLate);
    const looked = storage.isShared ? renewed.then(() => stopEnded(running.keys())) : renewed;
    looked.catch((error: unknown) => log.error(error, 'task leases'));
  }, HEARTBEAT_MS).unref();

  const listening = events.listen((event) => {
    if (event !== null && !event.startsWith(TASK)) return;
    const id = event?.slice(TASK.length);
    const asked = [...running.keys()].filter((key) => id === undefined || key === id);
    stopEnded(asked).catch((error: unknown) => log.error(error, 'tasks that ended on another server'));
    for (const name of id === undefined ? ended.eventNames() : [id]) ended.emit(name);
  });

  /** Wakes readers here and on other servers. */
  function tellEnd(id: string): void {
    ended.emit(id);
    events.publish(TASK + id);
  }

  async function finish(
    id: string,
    error: unknown,
    completion: Completion | null,
    about = TASK + id,
  ): Promise<void> {
    const failure = error instanceof ApiError ? { code: error.code, error: error.message } : null;
    const end =
      error === null ? { code: 0, error: '' } : (failure ?? { code: FAILED, error: 'Internal failure' });
    await storage.write(async (tx) => {
      if (!(await finishTask(tx, id, { ...end, time: clock.now() }))) return;
      await completion?.(tx);
      await changed(tx, id);
    }, about);
  }

  async function changed(tx: Executor, id: string): Promise<void> {
    const task = onChange && (await findTask(tx, id));
    if (task) await onChange(tx, task);
  }

  async function endLate(): Promise<void> {
    for (const id of unended) {
      await finish(id, errors.internal({ message: NOT_WRITTEN }), null);
      unended.delete(id);
      tellEnd(id);
    }
  }

  /** Tells work here whose task was ended on another server. */
  async function stopEnded(ids: Iterable<string>): Promise<void> {
    for (const id of ids) {
      const { abort } = running.get(id) ?? {};
      if (abort && (await findTask(db, id))?.finished !== 0) abort.abort(cancelled());
    }
  }

  async function work(
    id: string,
    job: (context: TaskContext) => Promise<Completion>,
    signal: AbortSignal,
    about: string | undefined,
  ): Promise<void> {
    // Cancelled while it waited, or deleted.
    if ((await findTask(db, id))?.finished !== 0) return;
    const output = createOutput((from, lines) =>
      storage.write((tx) => appendLines(tx, id, from, lines), TASK + id),
    );
    const stages: TaskStage[] = [];
    const stage = (name: TaskStageName) =>
      output.after((line) => {
        stages.push({ name, line, time: toTimestamp(clock.now()) });
        const all = JSON.stringify(stages);
        return setStages(db, id, all);
      });
    let failure: unknown = null;
    let completion: Completion | null = null;
    let mask: Mask = (text) => text;
    const write = (text: string) => output.write(mask(text));
    const hide = (secrets: Iterable<string>) => {
      mask = createMask(secrets);
    };
    try {
      completion = await job({ log: write, stage, hide, signal });
    } catch (error) {
      failure = masked(signal.aborted ? signal.reason : error, mask);
      if (!(failure instanceof ApiError)) log.error(error, 'task %s failed', id);
      output.write(
        failure instanceof ApiError ? `Error: ${failure.message} (code ${failure.code})` : 'Internal failure',
      );
    }
    try {
      await output.flush();
      await finish(id, failure, completion, about);
    } catch (error) {
      log.error(error, 'task %s could not be completed', id);
      await finish(id, error instanceof ApiError ? error : errors.internal({ message: NOT_WRITTEN }), null);
    }
  }

  async function untilEnded(id: string, milliseconds: number, signal: AbortSignal): Promise<void> {
    const deadline = Date.now() + milliseconds;
    const elsewhere = storage.isShared;
    while (!signal.aborted && Date.now() < deadline) {
      const pause = elsewhere ? Math.min(POLL_MS, deadline - Date.now()) : deadline - Date.now();
      const isTold = await endsWithin(id, pause, signal);
      if (elsewhere ? (await findTask(db, id))?.finished !== 0 : isTold) return;
    }
  }

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
    async create(tx, subject) {
      const id = ids.taskId();
      const now = clock.now();
      const state = { finished: 0, code: 0, error: '', lines: 0, finished_time: null } as const;
      await insertTask(tx, { id, ...subject, ...state, node, lease_until: now + LEASE, created_time: now });
      await changed(tx, id);
      return id;
    },
    run(id, job, about) {
      const abort = new AbortController();
      const done = work(id, job, abort.signal, about)
        .catch((error: unknown) => {
          log.error(error, 'task %s could not be ended', id);
          unended.add(id);
        })
        .finally(() => {
          running.delete(id);
          tellEnd(id);
        });
      running.set(id, { abort, done });
      return done;
    },
    async read(id, { first, wait, signal }) {
      let task = await findTask(db, id);
      if (!task) return null;
      if (first > task.lines) throw errors.outOfRange({ message: `first must not be above ${task.lines}` });
      if (!task.finished && wait > 0) {
        await untilEnded(id, wait * 1000, signal);
        task = (await findTask(db, id)) ?? task;
      }
      return { task, output: task.lines > first ? await readLines(db, id, first) : [] };
    },
    find: (id) => findTask(db, id),
    async cancel(id) {
      const here = running.get(id);
      if (here) return here.abort.abort(cancelled());
      const end = { code: FAILED, error: CANCELLED, time: clock.now() };
      await storage.write(async (tx) => {
        if (await finishTask(tx, id, end)) await changed(tx, id);
      }, TASK + id);
      // What waited here may have begun meanwhile.
      running.get(id)?.abort.abort(cancelled());
      tellEnd(id);
    },
    async sweep() {
      // Over SQLite there is no other server: whatever is open here belongs to one that is gone.
      const before = storage.isShared ? clock.now() : Number.MAX_SAFE_INTEGER;
      const abandoned = (await abandonedTasks(db, before)).filter((task) => task.node !== node);
      for (const task of abandoned) {
        await storage.write(async (tx) => {
          await appendLines(tx, task.id, task.lines, [`Error: ${INTERRUPTED}`]);
          const end = { code: FAILED, error: INTERRUPTED, time: clock.now() };
          if (await finishTask(tx, task.id, end)) await changed(tx, task.id);
        });
        tellEnd(task.id);
      }
      await removeTasksBefore(db, clock.now() - retention * 1_000_000);
      return abandoned.length;
    },
    async [Symbol.asyncDispose]() {
      clearInterval(heartbeat);
      listening[Symbol.dispose]();
      for (const { abort } of running.values()) abort.abort(errors.internal({ message: INTERRUPTED }));
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}

/** An error whose words may have been printed by content, without what is hidden. */
function masked(error: unknown, mask: Mask): unknown {
  if (!(error instanceof ApiError) || mask(error.message) === error.message) return error;
  return new ApiError(error.code, { message: mask(error.message), cause: error });
}
