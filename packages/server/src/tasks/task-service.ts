// Tasks: background work with output line by line, and readers who wait for its end.
import {
  ApiError,
  errors,
  type TaskEndReason,
  type TaskStage,
  type TaskStageName,
} from '@pressroom/api/contract';
import type { Logger } from 'pino';
import { failureOf } from '../platform/database/unreachable.ts';
import { type Clock, type Ids, toTimestamp } from '../platform/clock.ts';
import type { Heartbeat } from '../cluster/heartbeat.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import { diskRefusal } from '../platform/disk-refusal.ts';
import { Drained, handOver } from './hand-over.ts';
import { SERIAL_KINDS, isHeld, releaseTasks } from './lease-store.ts';
import { createMask, type Mask } from './mask.ts';
import { createTakeOver, FAILED, INTERRUPTED, LEASE } from './take-over.ts';
import { createEnds } from './wait-for-end.ts';
import {
  appendLines,
  findTask,
  finishTask,
  insertTask,
  openTasks,
  readLines,
  removeTasksBefore,
  renewLeases,
  type Holder,
  type TaskRow,
} from './store.ts';
import { createOutput, type TaskOutput } from './task-output.ts';
import { retryOutages } from './retry-outages.ts';
import { createTurns } from './turns.ts';

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

export interface TaskView {
  readonly task: TaskRow;
  readonly output: string[];
}

export interface TaskService extends AsyncDisposable {
  /** Creates a task in a transaction; `run` starts it after the commit. */
  create(tx: Executor, subject: TaskSubject): Promise<string>;
  /** Runs the work and ends the task; never rejects. @param about key for Storage.write at its end */
  run(id: string, work: (context: TaskContext) => Promise<Completion>, about?: string): Promise<void>;
  /**
   * With several servers: resolves when a deploy, draft or render may start, or has ended already; `run` must follow.
   * Null for a single server.
   */
  turn(id: string): Promise<void> | null;
  /** Starts taking over tasks of other servers. @param resume starts a task; false if it cannot */
  takeOver(resume: (task: TaskRow) => Promise<boolean>): void;
  /** @param wait seconds to wait for the end. @throws ApiError 13 for a `first` beyond the output. */
  read(id: string, options: { first: number; wait: number; signal: AbortSignal }): Promise<TaskView | null>;
  find(id: string): Promise<TaskRow | undefined>;
  /** Aborts running work; tasks that are queued, or run on another server, end immediately. */
  cancel(id: string): Promise<void>;
  /** Ends tasks of a crashed server that nobody can continue, and removes old ones. */
  sweep(): Promise<number>;
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
const NOT_WRITTEN =
  'The server could not write to its database; its disk may be full. What was active before stays. Start it again.';

/** Ends work before it has succeeded or failed. */
class EarlyEnd extends ApiError {
  readonly reason: TaskEndReason;

  constructor(reason: TaskEndReason, message: string) {
    super(FAILED, { message });
    this.reason = reason;
  }
}

const cancelled = () => new EarlyEnd('cancelled', CANCELLED);

/** Another server has the task: work done here no longer counts. */
const TAKEN = 'Another server has taken over this task.';
const STOPS = 'The server that ran this task stops. Another one starts it again.';

const HEARTBEAT_MS = 5000;
/** Milliseconds between attempts; the storage waits by itself, too. */
const AGAIN_MS = 500;
/** Prefix of events about tasks. */
const TASK = 'task:';

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
  const stopping = new AbortController();
  /** Unfinished tasks are left to other servers. */
  let isStopping = false;
  let takingOver: Disposable | null = null;
  const isHere = (id: string) =>
    isStopping || running.has(id) || unended.has(id) || called.has(id) || turns?.waiting.has(id) === true;
  const takeOver = createTakeOver({ storage, clock, log, node, isHere, changed, announceEnd });
  const beating = setInterval(() => {
    // Others are not renewed: a task with this server's id whose database answer was lost belongs to nobody until its
    // lease expires.
    const here = [...running.keys(), ...unended.keys(), ...called, ...(turns?.waiting ?? [])];
    if (here.length === 0) return;
    const renewed = renewLeases(db, node, here, clock.now() + LEASE).then(endLate);
    const looked = storage.isShared ? renewed.then(() => stopLost(running.keys())) : renewed;
    looked.catch(failureOf('task leases', log));
  }, HEARTBEAT_MS).unref();

  const listening = events.listen((event) => {
    if (event !== null && !event.startsWith(TASK)) return;
    const id = event?.slice(TASK.length);
    const asked = [...running.keys()].filter((key) => id === undefined || key === id);
    stopLost(asked).catch(failureOf('tasks that ended on another server', log));
    turns?.look();
    ends.tell(id);
  });

  /** Wakes readers on all servers. */
  function announceEnd(id: string): void {
    ends.tell(id);
    turns?.look();
    events.publish(TASK + id);
  }

  async function finish(
    id: string,
    error: unknown,
    completion: Completion | null,
    holder: Holder,
    about = TASK + id,
  ): Promise<void> {
    const failure = error instanceof ApiError ? { code: error.code, error: error.message } : null;
    const result =
      error === null ? { code: 0, error: '' } : (failure ?? { code: FAILED, error: 'Internal failure' });
    const reason = error instanceof EarlyEnd ? error.reason : null;
    await storage.write(async (tx) => {
      if (!(await finishTask(tx, id, { ...result, reason, time: clock.now() }, holder))) return;
      await completion?.(tx);
      await changed(tx, id);
    }, about);
  }

  async function changed(tx: Executor, id: string): Promise<void> {
    const task = onChange && (await findTask(tx, id));
    if (task) await onChange(tx, task);
  }

  async function endLate(): Promise<void> {
    for (const [id, holder] of unended) {
      await finish(id, errors.internal({ message: NOT_WRITTEN }), null, holder);
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
      abort.abort(isOver ? cancelled() : errors.internal({ message: TAKEN }));
    }
  }

  async function work(
    id: string,
    job: (context: TaskContext) => Promise<Completion>,
    signal: AbortSignal,
    about: string | undefined,
  ): Promise<void> {
    const task = await findTask(db, id);
    // Cancelled while queued, or deleted, or taken over.
    if (task?.finished !== 0 || task.node !== node) return;
    const { attempt } = task;
    const holder = { node, attempt };
    const own = running.get(id);
    if (own) own.holder = holder;
    const stages = JSON.parse(task.stages) as TaskStage[];
    /** The result of a task survives a lost database connection and a late cancellation. */
    const keep = <T>(write: () => Promise<T>) =>
      retryOutages({ log: () => undefined, signal: stopping.signal, triesLast: true }, write, AGAIN_MS);
    const output = createOutput(async (from, lines) => {
      const known = JSON.stringify(stages);
      const more = { from, lines, stages: known };
      const write = () => storage.write((tx) => appendLines(tx, id, more, holder), TASK + id);
      const isOurs = await keep(write);
      if (!isOurs) throw errors.internal({ message: TAKEN });
    }, task.lines);
    const stage = (name: TaskStageName) => {
      stages.push({ name, line: output.lines(), time: toTimestamp(clock.now()) });
      output.touch();
    };
    let failure: unknown = null;
    let completion: Completion | null = null;
    let mask: Mask = (text) => text;
    const write = (text: string) => output.write(mask(text));
    const hide = (secrets: Iterable<string>) => {
      mask = createMask(secrets);
    };
    const requireLease = async (tx: Executor) => {
      signal.throwIfAborted();
      if (!(await isHeld(tx, id, holder))) throw errors.internal({ message: TAKEN });
    };
    try {
      // Cancelled meanwhile: the work would wait for a signal that has fired already.
      signal.throwIfAborted();
      completion = await job({ log: write, stage, hide, signal, attempt, requireLease });
    } catch (error) {
      if (isStopping && SERIAL_KINDS.includes(task.kind)) return await leave(id, output);
      if (error instanceof Drained && !signal.aborted) {
        await output.flush();
        if (await keep(() => handOver(storage, id, holder))) return;
      }
      failure = masked(signal.aborted ? signal.reason : error, mask);
      if (!(failure instanceof ApiError)) await logFailure(id, holder, error, 'failed');
      failure = diskRefusal(failure) ?? failure;
      output.write(
        failure instanceof ApiError ? `Error: ${failure.message} (code ${failure.code})` : 'Internal failure',
      );
    }
    try {
      await output.flush();
      await keep(() => finish(id, failure, completion, holder, about));
    } catch (error) {
      await logFailure(id, holder, error, 'could not be completed');
      const reason = error instanceof ApiError ? error : errors.internal({ message: NOT_WRITTEN });
      await finish(id, reason, null, holder);
    }
  }

  /** A failure after a takeover is no failure of the task. */
  async function logFailure(id: string, holder: Holder, error: unknown, what: string): Promise<void> {
    if (await isHeld(db, id, holder).catch(() => true)) log.error(error, 'task %s %s', id, what);
    else log.info('task %s was taken over by another server', id);
  }

  /** Leaves the task to another server, or this one after its restart. */
  async function leave(id: string, output: TaskOutput): Promise<void> {
    output.write(STOPS);
    await output.flush().catch((error: unknown) => log.error(error, 'output of task %s', id));
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
    run(id, job, about) {
      const abort = new AbortController();
      // Queued work does not start any more.
      if (stopping.signal.aborted) abort.abort(stopping.signal.reason);
      const entry: Running = { abort, done: Promise.resolve(), holder: null };
      running.set(id, entry);
      called.delete(id);
      const done = work(id, job, abort.signal, about)
        .catch((error: unknown) => {
          log.error(error, 'task %s could not be ended', id);
          unended.set(id, running.get(id)?.holder ?? { node, attempt: 0 });
        })
        .finally(() => {
          running.delete(id);
          announceEnd(id);
        });
      entry.done = done;
      return done;
    },
    turn: (id) => turns && turns.turn(id).then(() => void called.add(id)),
    takeOver(resume) {
      takingOver ??= heartbeat && heartbeat.onBeat(() => takeOver.takeOrphans(resume));
      void heartbeat?.beat();
    },
    async read(id, { first, wait, signal }) {
      let task = await findTask(db, id);
      if (!task) return null;
      if (first > task.lines) throw errors.outOfRange({ message: `first must not be above ${task.lines}` });
      if (!task.finished && wait > 0) {
        await ends.wait(id, wait * 1000, signal);
        task = (await findTask(db, id)) ?? task;
      }
      return { task, output: task.lines > first ? await readLines(db, id, first) : [] };
    },
    find: (id) => findTask(db, id),
    async cancel(id) {
      const here = running.get(id);
      if (here) return here.abort.abort(cancelled());
      const end = { code: FAILED, error: CANCELLED, reason: 'cancelled', time: clock.now() } as const;
      await storage.write(async (tx) => {
        if (await finishTask(tx, id, end)) await changed(tx, id);
      }, TASK + id);
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
      await removeTasksBefore(db, clock.now() - retention * 1_000_000);
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

interface Running {
  readonly abort: AbortController;
  done: Promise<void>;
  /** Null until it has started. */
  holder: Holder | null;
}

/** Masks secrets in an error whose message may come from content. */
function masked(error: unknown, mask: Mask): unknown {
  if (!(error instanceof ApiError) || error instanceof EarlyEnd || mask(error.message) === error.message)
    return error;
  return new ApiError(error.code, { message: mask(error.message), cause: error });
}
