// Tasks: background work with output line by line, and readers who wait for its end.
import { errors } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import type { Heartbeat } from '../cluster/heartbeat.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import { failureOf } from '../platform/database/unreachable.ts';
import { SERIAL_KINDS, isHeld, releaseTasks } from './lease-store.ts';
import { createOutputEvents } from './output-events.ts';
import { EarlyEnd, createTaskRunner, notWritten, takenOver, type TaskWork } from './run-task.ts';
import {
  aboutTask,
  findTask,
  finishTask,
  insertTask,
  openTasks,
  readLines,
  removeTasksBefore,
  renewLeases,
  TASK,
  type Holder,
  type TaskRow,
} from './store.ts';
import { createTakeOver, FAILED, INTERRUPTED, LEASE } from './take-over.ts';
import { createTurns } from './turns.ts';
import { createEnds } from './wait-for-end.ts';

export type TaskSubject = (
  | {
      readonly kind: 'deploy' | 'draft' | 'render';
      readonly content_guid: string;
      readonly bundle_id: number;
      /** Variant to render; absent for the content itself. */
      readonly variant_key?: string;
      /** Whether its rendering is mailed. */
      readonly mails?: 1;
      /** For a draft: the preview that gets it. */
      readonly preview?: string | null;
    }
  /** The bundle is created once the commit was fetched. */
  | { readonly kind: 'deploy'; readonly content_guid: string; readonly bundle_id: null }
  | { readonly kind: 'restart' | 'terminate'; readonly content_guid: string; readonly bundle_id: null }
  | { readonly kind: 'clear_cache'; readonly content_guid: null; readonly bundle_id: null }
) & { readonly user_guid: string };

export interface TaskView {
  readonly task: TaskRow;
  readonly output: string[];
}

export interface TaskService extends AsyncDisposable {
  /** Creates a task in a transaction; `run` starts it after the commit. */
  create(tx: Executor, subject: TaskSubject): Promise<string>;
  /** Runs the work and ends the task; never rejects. @param about key for Storage.write at its end */
  run(id: string, work: TaskWork, about?: string): Promise<void>;
  /**
   * With several servers: resolves when a deploy, draft or render may start, or has ended already; `run` must follow.
   * Null for a single server.
   */
  turn(id: string): Promise<void> | null;
  /** Aborted if the task is cancelled before it runs. */
  queued(id: string): AbortSignal;
  /** Starts taking over tasks of other servers. @param resume starts a task; false if it cannot */
  takeOver(resume: (task: TaskRow) => Promise<boolean>): void;
  /** @throws ApiError 13 for a `first` beyond the output. */
  read(id: string, options: ReadOptions): Promise<TaskView | null>;
  /** Resolves when it has more output or has ended, after a timeout, or when `signal` aborts. */
  nextOutput(id: string, milliseconds: number, signal: AbortSignal): Promise<void>;
  find(id: string): Promise<TaskRow | undefined>;
  /** Aborts running work; tasks that are queued, or run on another server, end immediately. */
  cancel(id: string): Promise<void>;
  /** Ends tasks of a crashed server that nobody can continue, and removes old ones. */
  sweep(): Promise<number>;
}

interface ReadOptions {
  readonly first: number;
  /** Seconds to wait for the end. */
  readonly wait: number;
  /** Seconds to wait for more lines, the next stage or the end, in place of `wait`. */
  readonly output_wait?: number;
  readonly signal: AbortSignal;
}

export interface TaskOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  /** Seconds that finished tasks are kept. */
  readonly retention: number;
  /** Null for a single server. */
  readonly heartbeat: Heartbeat | null;
  /** Concurrent deploys, drafts and renders on all servers. */
  readonly atOnce: number;
  /** Called in the transaction that creates or ends a task. */
  readonly onChange?: (tx: Executor, task: TaskRow) => Promise<void>;
}

const CANCELLED = 'The task was cancelled.';
const cancelled = () => new EarlyEnd('cancelled', CANCELLED);

const HEARTBEAT_MS = 5000;

interface Running {
  readonly abort: AbortController;
  done: Promise<void>;
  /** Null until it has started. */
  holder: Holder | null;
}

export function createTaskService(options: TaskOptions): TaskService {
  const { storage, clock, ids, log, retention, onChange, heartbeat, atOnce } = options;
  const { db, events } = storage;
  const node = heartbeat?.node ?? ids.uuid();
  const turns = heartbeat && createTurns({ storage, node, atOnce, log });
  const ends = createEnds(storage);
  const running = new Map<string, Running>();
  /** Finished tasks that could not be ended: the database is unreachable or its disk full. */
  const unended = new Map<string, Holder>();
  /** Started tasks whose work is queued on this server. */
  const called = new Set<string>();
  /** Tasks of a single server that wait for others. */
  const queued = new Map<string, AbortController>();
  const stopping = new AbortController();
  /** Unfinished tasks are left to other servers. */
  let isStopping = false;
  let takingOver: Disposable | null = null;
  const isHere = (id: string) =>
    isStopping || running.has(id) || unended.has(id) || called.has(id) || turns?.waiting.has(id) === true;
  const isLeft = (kind: TaskRow['kind']) => isStopping && SERIAL_KINDS.includes(kind);
  const output = createOutputEvents((id) => storage.isShared && !running.has(id), events);
  const runner = createTaskRunner({
    storage,
    clock,
    log,
    node,
    stopping: stopping.signal,
    isLeft,
    changed,
    printed: (id) => output.printed(id),
  });
  const takeOver = createTakeOver({ storage, clock, log, node, isHere, changed, announceEnd });
  const beating = setInterval(() => {
    // Others are not renewed: a task with this server's id whose database response was lost belongs to nobody until its
    // lease expires.
    const here = [...running.keys(), ...unended.keys(), ...called, ...(turns?.waiting ?? [])];
    if (here.length === 0) return;
    const renewed = renewLeases(db, node, here, clock.now() + LEASE).then(endLate);
    const looked = storage.isShared ? renewed.then(() => stopLost(running.keys())) : renewed;
    looked.catch(failureOf('task leases', log));
  }, HEARTBEAT_MS).unref();

  const listening = events.listen((event) => {
    if (event !== null) output.hear(event);
    if (event !== null && !event.startsWith(TASK)) return;
    const id = event?.slice(TASK.length);
    const tasks = [...running.keys()].filter((key) => id === undefined || key === id);
    stopLost(tasks).catch(failureOf('tasks that ended on another server', log));
    turns?.look();
    ends.announce(id);
    output.announce(id);
  });

  /** The task once it has more than `first` lines, another stage, or has ended; as it is at the deadline. */
  async function untilMore(
    task: TaskRow,
    first: number,
    deadline: number,
    signal: AbortSignal,
  ): Promise<TaskRow> {
    for (;;) {
      using stack = new DisposableStack();
      const stop = stack.adopt(new AbortController(), (one) => one.abort());
      const left = Math.max(0, deadline - performance.now());
      // Subscribed before reading, so that no line is missed.
      const more = output.next(task.id, left, AbortSignal.any([signal, stop.signal]));
      const now = await findTask(db, task.id);
      const hasMore =
        now === undefined || now.finished === 1 || now.lines > first || now.stages !== task.stages;
      if (hasMore || left === 0 || signal.aborted) return now ?? task;
      await more;
    }
  }

  /** Wakes readers on all servers. */
  function announceEnd(id: string): void {
    ends.announce(id);
    output.announce(id);
    turns?.look();
    events.publish(aboutTask(id));
  }

  async function changed(tx: Executor, id: string): Promise<void> {
    const task = onChange && (await findTask(tx, id));
    if (task) await onChange(tx, task);
  }

  async function endLate(): Promise<void> {
    for (const [id, holder] of unended) {
      await runner.finish(id, holder, notWritten());
      unended.delete(id);
      announceEnd(id);
    }
  }

  /** Aborts work on this server whose task was ended or taken over by another one. */
  async function stopLost(ids: Iterable<string>): Promise<void> {
    for (const id of ids) {
      const { abort, holder } = running.get(id) ?? {};
      if (!abort || !holder || (await isHeld(db, id, holder))) continue;
      const isOver = (await findTask(db, id))?.finished !== 0;
      abort.abort(isOver ? cancelled() : takenOver());
    }
  }

  return {
    async create(tx, subject) {
      const id = ids.taskId();
      const now = clock.now();
      const task = await insertTask(tx, {
        ...subject,
        id,
        node,
        lease_until: now + LEASE,
        created_time: now,
      });
      await onChange?.(tx, task);
      return id;
    },
    run(id, work, about) {
      const abort = new AbortController();
      // Queued work does not start any more.
      if (stopping.signal.aborted) abort.abort(stopping.signal.reason);
      const entry: Running = { abort, done: Promise.resolve(), holder: null };
      running.set(id, entry);
      called.delete(id);
      queued.delete(id);
      const started = (holder: Holder) => {
        entry.holder = holder;
      };
      entry.done = runner
        .run(id, work, { signal: abort.signal, started, about })
        .catch((error: unknown) => {
          log.error(error, 'task %s could not be ended', id);
          unended.set(id, entry.holder ?? { node, attempt: 0 });
        })
        .finally(() => {
          running.delete(id);
          announceEnd(id);
        });
      return entry.done;
    },
    turn: (id) => turns && turns.turn(id).then(() => void called.add(id)),
    queued(id) {
      const own = new AbortController();
      queued.set(id, own);
      return own.signal;
    },
    takeOver(resume) {
      takingOver ??= heartbeat && heartbeat.onBeat(() => takeOver.takeOrphans(resume));
      void heartbeat?.beat();
    },
    async read(id, { first, wait, output_wait = 0, signal }) {
      let task = await findTask(db, id);
      if (!task) return null;
      if (first > task.lines) throw errors.outOfRange({ message: `first must not be above ${task.lines}` });
      if (!task.finished && output_wait > 0)
        task = await untilMore(task, first, performance.now() + output_wait * 1000, signal);
      else if (!task.finished && wait > 0) {
        await ends.wait(id, wait * 1000, signal);
        task = (await findTask(db, id)) ?? task;
      }
      return { task, output: task.lines > first ? await readLines(db, id, first) : [] };
    },
    nextOutput: (id, milliseconds, signal) => output.next(id, milliseconds, signal),
    find: (id) => findTask(db, id),
    async cancel(id) {
      const here = running.get(id);
      if (here) return here.abort.abort(cancelled());
      const end = { code: FAILED, error: CANCELLED, reason: 'cancelled', time: clock.now() } as const;
      await storage.write(async (tx) => {
        if (await finishTask(tx, id, end)) await changed(tx, id);
      }, aboutTask(id));
      queued.get(id)?.abort(cancelled());
      queued.delete(id);
      // It may have started meanwhile.
      running.get(id)?.abort.abort(cancelled());
      announceEnd(id);
      turns?.look();
    },
    async sweep() {
      // SQLite means a single server: every open task belongs to one that is gone.
      const open = storage.isShared ? [] : await openTasks(db);
      const abandoned = open.filter((task) => task.node !== node);
      for (const task of abandoned) await takeOver.interrupt(task);
      await removeTasksBefore(db, clock.now() - retention * 1_000_000, stopping.signal);
      return abandoned.length;
    },
    async [Symbol.asyncDispose]() {
      isStopping = storage.isShared;
      clearInterval(beating);
      listening[Symbol.dispose]();
      takingOver?.[Symbol.dispose]();
      turns?.[Symbol.dispose]();
      stopping.abort(new EarlyEnd('interrupted', INTERRUPTED));
      for (const { abort } of running.values()) abort.abort(stopping.signal.reason);
      while (running.size > 0) await Promise.all([...running.values()].map(({ done }) => done));
      if (isStopping) await releaseTasks(db, node).catch((error: unknown) => log.error(error, 'leases'));
    },
  };
}
