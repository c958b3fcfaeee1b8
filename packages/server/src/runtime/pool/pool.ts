// The process pool of one deploy: starts, assigns, reaps and drains processes.
import { timerMs } from '../../platform/clock.ts';
import {
  ClosedForStarts,
  NoPlace,
  startFailed,
  tooBusy,
  clientDisconnected,
  Unavailable,
} from '../unavailable.ts';
import { backOff, leastLoaded, wantsProcess, type Scheduling } from './scheduling.ts';
import type { Worker } from './worker.ts';

/** A connection's slot in a process, to be released. */
export interface Lease {
  readonly worker: Worker;
  release(): void;
  /** Keeps the slot for the socket that the page just served will open; releases it if none comes. */
  reserve(): void;
}

export interface Pool {
  /**
   * A slot for a connection, once a process listens.
   * @param gone aborted when the visitor leaves.
   * @param preferred the process to use, if it has a free slot.
   * @throws Unavailable if all processes are full, or none starts.
   */
  acquire(gone?: AbortSignal, preferred?: string | null): Promise<Lease>;
  /** A slot that a page reserved, of the preferred process if possible; else like `acquire`. */
  acquireReserved(gone?: AbortSignal, preferred?: string | null): Promise<Lease>;
  /** Any listening process, for requests of an open page; else like `acquire`. */
  any(gone?: AbortSignal): Promise<Lease>;
  /** Any listening process, full or not; else a starting one, ahead of all waiting visitors. */
  first(gone?: AbortSignal): Promise<Lease>;
  /** A slot in exactly this process, also one of `earlier`, full or not; null if it is gone. */
  join(key: string): Lease | null;
  /** Whether exactly this process listens, here or in `earlier`. */
  has(key: string): boolean;
  readonly processes: number;
  readonly connections: number;
  /** Whether a process listens. */
  readonly isReady: boolean;
  /** Whether the existing processes have a free slot. */
  readonly hasRoom: boolean;
  /** To be called after creation and when settings change: starts minimum processes. */
  keepMinimum(): void;
  /** Forgets failed starts, because what they failed of may have changed. */
  tryAgain(): void;
  /** Accepts no new connections; each process stops after its last one. Settles when all have stopped. */
  retire(): Promise<void>;
  /** Stops all processes now. */
  close(): Promise<void>;
}

export interface PoolOptions {
  /** Called each time, since settings may change. */
  readonly scheduling: () => Scheduling;
  readonly start: () => Promise<Worker>;
  /** Pools that this one replaced, which end with their last visitors: requests of these are served there. */
  readonly earlier?: () => readonly Pool[];
  /** Called when there are no processes, no waiting connections, and none to start automatically. */
  readonly onEmpty?: () => void;
}

interface Waiter {
  resolve(lease: Lease): void;
  reject(error: unknown): void;
}

/** Milliseconds that a page's slot is reserved for its socket. */
const RESERVED_MS = 45_000;
/** A process that ran for this long started successfully: later failures are counted anew. */
const STEADY_MS = 10_000;
/** Milliseconds that failed starts are counted without another attempt, if no process is kept. */
const FAILURES_KEPT_MS = 2 * backOff(Infinity);
/** Milliseconds without another attempt after all places were taken. */
const NO_PLACE_MS = 1000;
/** The same for the minimum of processes: other servers may run the maximum for days. */
const NO_PLACE_FOR_MINIMUM_MS = 30_000;

export function createPool({ scheduling, start, earlier = () => [], onEmpty }: PoolOptions): Pool {
  const workers = new Set<Worker>();
  const waiters: Waiter[] = [];
  const reserved: { lease: Lease; timer: NodeJS.Timeout }[] = [];
  /** Processes being launched, which count as processes. */
  const launching = new Set<Promise<void>>();
  /** Launching or launched processes that do not listen yet. */
  let pending = 0;
  let failures = 0;
  let lastFailure: unknown = null;
  let retryAt = 0;
  let minimumAt = 0;
  let retired = false;
  let retry: NodeJS.Timeout | undefined;
  let forgetting: NodeJS.Timeout | undefined;
  const idle = new Map<Worker, NodeJS.Timeout>();

  const processes = () => workers.size + launching.size;
  const connections = () =>
    [...workers].reduce((sum, worker) => sum + worker.connections, 0) + waiters.length;
  const ready = () => [...workers].filter((worker) => worker.isReady);

  function lease(worker: Worker): Lease {
    worker.connections += 1;
    clearTimeout(idle.get(worker));
    idle.delete(worker);
    let held = true;
    const release = () => {
      if (!held) return;
      held = false;
      worker.connections -= 1;
      serveWaiters();
      if (worker.connections === 0) becameIdle(worker);
    };
    const own: Lease = {
      worker,
      release,
      reserve() {
        const place = { lease: own, timer: setTimeout(() => dropReserved(place), RESERVED_MS).unref() };
        reserved.push(place);
      },
    };
    return own;
  }

  function dropReserved(place: (typeof reserved)[number]): void {
    const at = reserved.indexOf(place);
    if (at >= 0) reserved.splice(at, 1);
    place.lease.release();
  }

  function becameIdle(worker: Worker): void {
    if (retired) {
      void worker.stop();
      return;
    }
    const { idleTimeout } = scheduling();
    const timer = setTimeout(() => {
      idle.delete(worker);
      // A stopping process counts until it has ended.
      const kept = [...workers].filter((one) => !one.isStopped).length;
      if (worker.connections > 0 || kept <= scheduling().minProcesses) return;
      void worker.stop(`it was idle for ${idleTimeout} seconds`);
    }, timerMs(idleTimeout));
    idle.set(worker, timer.unref());
  }

  function serveWaiters(): void {
    while (waiters.length > 0) {
      const worker = leastLoaded(ready(), scheduling().maxConnections);
      if (!worker) return;
      waiters.shift()!.resolve(lease(worker));
    }
  }

  function failWaiters(error: unknown): void {
    for (const waiter of waiters.splice(0)) waiter.reject(error);
  }

  function startOne(): void {
    pending += 1;
    // Before anything that counts processes.
    const isOver = () => launching.delete(launch);
    const launch: Promise<void> = start().then(
      (worker) => {
        isOver();
        workers.add(worker);
        const begun = performance.now();
        void worker.ended.then(() => hasEnded(worker, performance.now() - begun));
        worker.ready.then(() => isUp(worker), hasFailed);
        if (retired && waiters.length === 0) void worker.stop();
      },
      (error: unknown) => {
        isOver();
        hasFailed(error);
      },
    );
    launching.add(launch);
  }

  function isUp(worker: Worker): void {
    pending -= 1;
    serveWaiters();
    if (worker.connections === 0) becameIdle(worker);
  }

  function hasFailed(error: unknown): void {
    pending -= 1;
    if (error instanceof NoPlace || error instanceof ClosedForStarts) {
      lastFailure = error;
      retryAt = performance.now() + NO_PLACE_MS;
      if (error instanceof NoPlace) minimumAt = performance.now() + NO_PLACE_FOR_MINIMUM_MS;
    } else notePoorStart(error);
    const isFull = error instanceof NoPlace || (ready().length > 0 && !(error instanceof ClosedForStarts));
    if (pending === 0) failWaiters(isFull ? tooBusy() : withRetryTime(error));
    keepMinimum();
  }

  function notePoorStart(error: unknown): void {
    failures += 1;
    lastFailure = error;
    retryAt = performance.now() + backOff(failures);
  }

  function whyNot(): Error {
    if (lastFailure instanceof ClosedForStarts) return lastFailure;
    return lastFailure instanceof NoPlace ? tooBusy() : withRetryTime(startFailed(lastFailure));
  }

  function withRetryTime<E>(error: E): E {
    if (error instanceof Unavailable)
      error.retryAfter = Math.max(1, Math.ceil((retryAt - performance.now()) / 1000));
    return error;
  }

  function hasEnded(worker: Worker, ran: number): void {
    workers.delete(worker);
    clearTimeout(idle.get(worker));
    idle.delete(worker);
    for (const place of reserved.filter((item) => item.lease.worker === worker)) {
      clearTimeout(place.timer);
      dropReserved(place);
    }
    if (worker.hasStarted && ran > STEADY_MS) failures = 0;
    else if (worker.hasStarted && !worker.isStopped) notePoorStart(clientDisconnected());
    helpWaiters();
    if (worker.hasStarted) keepMinimum();
    // The end may be known before the failure, which delays the next start.
    else void worker.ready.then(keepMinimum, keepMinimum);
    // Otherwise the next visitor would start it again at once, for ever.
    clearTimeout(forgetting);
    if (worker.hasStarted || retired) forgetIfEmpty();
    else forgetting = setTimeout(forgetIfEmpty, FAILURES_KEPT_MS).unref();
  }

  function forgetIfEmpty(): void {
    if (processes() === 0 && (retired || scheduling().minProcesses === 0)) onEmpty?.();
  }

  /** Starts a process, or rejects the waiting visitors, if nothing has room or is starting. */
  function helpWaiters(): void {
    if (waiters.length === 0 || pending > 0) return;
    const mayStart = performance.now() >= retryAt;
    if (mayStart && processes() < scheduling().maxProcesses) startOne();
    else if (!mayStart || ready().length > 0) failWaiters(ready().length > 0 ? tooBusy() : whyNot());
  }

  function keepMinimum(): void {
    clearTimeout(retry);
    if (retired) return;
    // The minimum was higher when it became idle.
    for (const worker of ready()) if (worker.connections === 0 && !idle.has(worker)) becameIdle(worker);
    const missing = scheduling().minProcesses - processes();
    if (missing <= 0) return;
    const wait = Math.max(retryAt, minimumAt) - performance.now();
    if (wait > 0) {
      retry = setTimeout(keepMinimum, wait).unref();
      return;
    }
    for (let i = 0; i < missing; i++) startOne();
  }

  async function acquire(
    gone?: AbortSignal,
    preferred: string | null = null,
    isFirst = false,
  ): Promise<Lease> {
    if (retired || gone?.aborted) throw clientDisconnected();
    const { maxProcesses, maxConnections } = scheduling();
    const own = ready().find(({ key, connections: taken }) => key === preferred && taken < maxConnections);
    if (own) return lease(own);
    if (!isFirst && connections() >= maxProcesses * maxConnections) throw tooBusy();
    const mayStart = performance.now() >= retryAt;
    // A stopping process does not help a new visitor, and may take long.
    const isAlone = pending === 0 && ready().length === 0 && processes() < maxProcesses;
    if (mayStart && (isAlone || wantsProcess(scheduling(), processes(), connections()))) startOne();
    const worker = leastLoaded(ready(), maxConnections);
    if (worker) return lease(worker);
    if (processes() === 0) throw whyNot();
    // Nothing is starting, and all visitors may stay for hours.
    if (pending === 0 && ready().length === processes()) throw tooBusy();
    return await new Promise<Lease>((resolve, reject) => {
      const waiter = { resolve, reject };
      if (isFirst) waiters.unshift(waiter);
      else waiters.push(waiter);
      gone?.addEventListener('abort', () => {
        const at = waiters.indexOf(waiter);
        if (at === -1) return;
        waiters.splice(at, 1);
        reject(clientDisconnected());
      });
    });
  }

  return {
    acquire,
    async acquireReserved(gone, preferred) {
      const usable = reserved.filter(({ lease: { worker } }) => worker.isReady);
      const place = usable.find(({ lease: { worker } }) => worker.key === preferred) ?? usable[0];
      if (!place) return acquire(gone, preferred);
      reserved.splice(reserved.indexOf(place), 1);
      clearTimeout(place.timer);
      return place.lease;
    },
    async any(gone) {
      const worker = leastLoaded(ready(), Infinity);
      return worker ? lease(worker) : acquire(gone);
    },
    async first(gone) {
      const worker = retired ? null : leastLoaded(ready(), Infinity);
      return worker ? lease(worker) : acquire(gone, null, true);
    },
    join(key) {
      const worker = ready().find((item) => item.key === key);
      if (worker) return lease(worker);
      return (
        earlier()
          .find((pool) => pool.has(key))
          ?.join(key) ?? null
      );
    },
    has: (key) => ready().some((item) => item.key === key) || earlier().some((pool) => pool.has(key)),
    get processes() {
      return processes();
    },
    get connections() {
      return connections();
    },
    get isReady() {
      return ready().length > 0;
    },
    get hasRoom() {
      return connections() < processes() * scheduling().maxConnections;
    },
    keepMinimum,
    tryAgain() {
      failures = 0;
      retryAt = 0;
      minimumAt = 0;
      keepMinimum();
    },
    async retire() {
      retired = true;
      clearTimeout(retry);
      clearTimeout(forgetting);
      for (const worker of workers) {
        if (worker.connections === 0 && waiters.length === 0) void worker.stop();
      }
      await untilEmpty();
    },
    async close() {
      retired = true;
      clearTimeout(retry);
      clearTimeout(forgetting);
      failWaiters(clientDisconnected());
      for (const worker of workers) void worker.stop();
      await untilEmpty();
    },
  };

  async function untilEmpty(): Promise<void> {
    while (launching.size + workers.size > 0) {
      await Promise.all(launching);
      await Promise.all([...workers].map((worker) => worker.ended));
    }
  }
}
