import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Ending } from '../sandbox/launcher.ts';
import { NoPlace, startFailed, Unavailable } from '../unavailable.ts';
import { createPool, type Lease } from './pool.ts';
import { backOff, leastLoaded, wantsProcess, type Scheduling } from './scheduling.ts';
import type { Worker } from './worker.ts';

const DEFAULTS: Scheduling = {
  minProcesses: 0,
  maxProcesses: 3,
  maxConnections: 20,
  loadFactor: 0.5,
  initTimeout: 60,
  idleTimeout: 5,
  connectionTimeout: 3600,
  readTimeout: 3600,
};
const ENDED: Ending = {
  code: 0,
  signal: null,
  outOfMemory: false,
  isLost: false,
  message: 'ended with code 0',
};

interface Fake extends Worker {
  /** Ignores `stop` and runs until `crash`. */
  isSlow: boolean;
  listen(): void;
  fail(): void;
  crash(): void;
}

/** Creates a pool whose processes the test controls. */
function start(settings: Partial<Scheduling> = {}) {
  const scheduling: { -readonly [Name in keyof Scheduling]: Scheduling[Name] } = { ...DEFAULTS, ...settings };
  const started: Fake[] = [];
  const failing: Error[] = [];
  const startOne = async (): Promise<Worker> => {
    const failure = failing.shift();
    if (failure) throw failure;
    const ready = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<Ending>();
    ready.promise.catch(() => undefined);
    const state = { hasStarted: false, isStopped: false, isOver: false };
    const over = () => {
      state.isOver = true;
      ended.resolve(ENDED);
    };
    const worker: Fake = {
      isSlow: false,
      key: String(started.length),
      address: { socketPath: '' },
      dispatcher: null as never,
      connections: 0,
      ready: ready.promise,
      ended: ended.promise,
      get isReady() {
        return state.hasStarted && !state.isStopped && !state.isOver;
      },
      get hasStarted() {
        return state.hasStarted;
      },
      get isStopped() {
        return state.isStopped;
      },
      stop() {
        state.isStopped = true;
        if (!worker.isSlow) over();
        return ended.promise;
      },
      refused: () => undefined,
      listen() {
        state.hasStarted = true;
        ready.resolve();
      },
      fail() {
        over();
        ready.reject(startFailed(new Error('no')));
      },
      crash: over,
    };
    started.push(worker);
    return worker;
  };
  const onEmpty = vi.fn();
  const pool = createPool({ scheduling: () => scheduling, start: startOne, onEmpty });
  return { pool, started, onEmpty, scheduling, failing };
}

const settle = () => vi.advanceTimersByTimeAsync(0);
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function acquireMany(pool: ReturnType<typeof start>['pool'], count: number): Promise<Lease[]> {
  return Promise.all(Array.from({ length: count }, () => pool.acquire()));
}

describe('Process pool', () => {
  it('starts a process for the first connection, and another above LoadFactor × MaxConnsPerProcess', async () => {
    const { pool, started } = start();
    const first = pool.acquire();
    await settle();
    started[0]!.listen();
    await first;
    await acquireMany(pool, 9);
    await settle();
    expect(started).toHaveLength(1);
    await pool.acquire();
    await settle();
    expect(started).toHaveLength(2);
    started[1]!.listen();
    await settle();
    // Further connections go to the process with fewer.
    await acquireMany(pool, 5);
    expect(started.map((worker) => worker.connections)).toEqual([11, 5]);
  });

  it('rejects with 503 when full, waiting connections included, until one is released', async () => {
    const { pool, started } = start({ maxProcesses: 1, maxConnections: 2 });
    const leases = [pool.acquire(), pool.acquire()];
    await expect(pool.acquire()).rejects.toMatchObject({ status: 503 });
    await settle();
    started[0]!.listen();
    (await leases[0])!.release();
    await expect(pool.acquire()).resolves.toBeDefined();
    await expect(pool.acquire()).rejects.toMatchObject({ status: 503 });
  });

  it('first() reports whether a process runs, however many connections wait', async () => {
    const { pool, started } = start({ maxProcesses: 1, maxConnections: 2 });
    const waiting = [pool.acquire(), pool.acquire()];
    const first = pool.first();
    await settle();
    started[0]!.listen();
    (await first).release();
    await Promise.all(waiting);
    (await pool.first()).release();
    expect(pool.connections).toBe(2);
    void pool.retire();
    await expect(pool.first()).rejects.toMatchObject({ status: 502 });
  });

  it('frees the place of a visitor who leaves while waiting', async () => {
    const { pool, started } = start({ maxProcesses: 1, maxConnections: 1 });
    const gone = new AbortController();
    const left = expect(pool.acquire(gone.signal)).rejects.toBeInstanceOf(Unavailable);
    gone.abort();
    await left;
    await expect(pool.acquire(gone.signal)).rejects.toBeInstanceOf(Unavailable);
    const next = pool.acquire();
    await settle();
    started[0]!.listen();
    await expect(next).resolves.toMatchObject({ worker: started[0] });
    expect(pool.connections).toBe(1);
  });

  it('rejects waiting visitors when the start fails, and delays the next start', async () => {
    const { pool, started } = start();
    const first = pool.acquire();
    const refused = expect(first).rejects.toBeInstanceOf(Unavailable);
    await settle();
    started[0]!.fail();
    await refused;
    await expect(pool.acquire()).rejects.toMatchObject({ status: 502 });
    expect(started).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(backOff(1));
    void pool.acquire();
    await settle();
    expect(started).toHaveLength(2);
  });

  it('a waiting connection survives a failed process while another one starts', async () => {
    const { pool, started } = start({ loadFactor: 0 });
    const waiting = acquireMany(pool, 2);
    await settle();
    started[0]!.fail();
    await settle();
    started[1]!.listen();
    expect((await waiting).map((lease) => lease.worker.key)).toEqual(['1', '1']);
  });

  it('stops a process after IdleTimeout but keeps MinProcesses', async () => {
    const { pool, started } = start({ minProcesses: 1, loadFactor: 0 });
    pool.keepMinimum();
    await settle();
    started[0]!.listen();
    const leases = await acquireMany(pool, 1);
    const second = pool.acquire();
    await settle();
    started[1]!.listen();
    leases.push(await second);
    for (const lease of leases) lease.release();
    await vi.advanceTimersByTimeAsync(5000);
    expect(started.filter((worker) => !worker.isStopped)).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(pool.processes).toBe(1);
  });

  it('keeps MinProcesses when two processes are idle at once and stops are slow', async () => {
    const { pool, started } = start({ minProcesses: 1, maxConnections: 1 });
    const leases = acquireMany(pool, 2);
    await settle();
    for (const worker of started) {
      worker.isSlow = true;
      worker.listen();
    }
    for (const lease of await leases) lease.release();
    await vi.advanceTimersByTimeAsync(5000);
    expect(started.map(({ isStopped }) => isStopped)).toEqual([true, false]);
  });

  it('stops an idle process once MinProcesses is lowered', async () => {
    const { pool, started, scheduling } = start({ minProcesses: 1 });
    pool.keepMinimum();
    await settle();
    started[0]!.listen();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(started[0]!.isStopped).toBe(false);
    scheduling.minProcesses = 0;
    pool.keepMinimum();
    await vi.advanceTimersByTimeAsync(5000);
    expect(started[0]!.isStopped).toBe(true);
  });

  it('retries to start MinProcesses after a failed launch', async () => {
    const { pool, started, failing } = start({ minProcesses: 1 });
    failing.push(new Error('the disk is full'));
    pool.keepMinimum();
    await vi.advanceTimersByTimeAsync(backOff(1));
    expect(failing).toEqual([]);
    expect(started).toHaveLength(1);
  });

  it('while other servers run the maximum, tries seldom to start MinProcesses, and at once for a visitor', async () => {
    const { pool, started, failing } = start({ minProcesses: 1 });
    const full = Array.from({ length: 10 }, () => new NoPlace());
    failing.push(...full);
    pool.keepMinimum();
    await vi.advanceTimersByTimeAsync(65_000);
    expect(full.length - failing.length).toBeLessThanOrEqual(3);
    failing.length = 0;
    const lease = pool.acquire();
    await settle();
    started[0]!.listen();
    await lease;
    expect(started).toHaveLength(1);
  });

  it('starts MinProcesses once other servers run less', async () => {
    const { pool, started, failing } = start({ minProcesses: 1 });
    failing.push(new NoPlace());
    pool.keepMinimum();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(started).toHaveLength(1);
  });

  it('gives no reserved slot of a process that is stopping', async () => {
    const { pool, started } = start();
    const page = pool.acquire();
    await settle();
    started[0]!.listen();
    (await page).reserve();
    started[0]!.isSlow = true;
    void started[0]!.stop();
    const socket = pool.acquireReserved(undefined, started[0]!.key);
    await settle();
    started[1]!.listen();
    expect((await socket).worker).toBe(started[1]);
  });

  it('rejects with 503 when all processes are full and none is starting', async () => {
    const { pool, started } = start({ maxConnections: 1 });
    const first = pool.acquire();
    await settle();
    started[0]!.listen();
    await first;
    const second = expect(pool.acquire()).rejects.toMatchObject({ status: 503 });
    await settle();
    started[1]!.fail();
    await second;
    // The back-off is not over: no other start yet.
    await expect(pool.acquire()).rejects.toMatchObject({ status: 503 });
    await vi.advanceTimersByTimeAsync(backOff(1));
    const third = pool.acquire();
    await settle();
    started[2]!.listen();
    await expect(third).resolves.toMatchObject({ worker: started[2] });
  });

  it('a visitor gets a new process once one has stopped, though a full one remains', async () => {
    const { pool, started } = start({ maxProcesses: 2, maxConnections: 1 });
    const leases = acquireMany(pool, 2);
    await settle();
    started[1]!.isSlow = true;
    for (const worker of started) worker.listen();
    (await leases).find(({ worker }) => worker === started[1])!.release();
    await vi.advanceTimersByTimeAsync(11_000);
    expect(started[1]!.isStopped).toBe(true);
    const waiting = pool.acquire();
    await settle();
    expect(started).toHaveLength(2);
    started[1]!.crash();
    await settle();
    expect(started).toHaveLength(3);
    started[2]!.listen();
    await expect(waiting).resolves.toMatchObject({ worker: started[2] });
  });

  it('a visitor who arrives while the last process stops gets a new one at once', async () => {
    const { pool, started } = start();
    const first = pool.acquire();
    await settle();
    started[0]!.isSlow = true;
    started[0]!.listen();
    (await first).release();
    await vi.advanceTimersByTimeAsync(5000);
    expect(started[0]!.isStopped).toBe(true);
    const next = pool.acquire();
    await settle();
    started[1]!.listen();
    await expect(next).resolves.toMatchObject({ worker: started[1] });
  });

  it('restarts MinProcesses after a crash, with growing delays', async () => {
    const { pool, started } = start({ minProcesses: 1 });
    pool.keepMinimum();
    for (let crashes = 1; crashes <= 4; crashes++) {
      await settle();
      started.at(-1)!.listen();
      await settle();
      started.at(-1)!.crash();
      await vi.advanceTimersByTimeAsync(backOff(crashes) - 1);
      expect(started).toHaveLength(crashes);
      await vi.advanceTimersByTimeAsync(1);
      expect(started).toHaveLength(crashes + 1);
    }
  });

  it('calls onEmpty only when no process restarts by itself', async () => {
    const kept = start({ minProcesses: 1 });
    kept.pool.keepMinimum();
    await settle();
    kept.started[0]!.listen();
    await settle();
    kept.started[0]!.crash();
    await settle();
    expect(kept.onEmpty).not.toHaveBeenCalled();
    await kept.pool.close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(kept.started).toHaveLength(1);
    const { pool, started, onEmpty } = start();
    void pool.acquire();
    await settle();
    started[0]!.listen();
    await settle();
    started[0]!.crash();
    await settle();
    expect(onEmpty).toHaveBeenCalledOnce();
  });

  it.each([0, 1])(
    'with a minimum of %i processes, starts that fail get rarer under steady requests, up to one a minute',
    async (minProcesses) => {
      const { pool, started, onEmpty } = start({ minProcesses });
      const times: number[] = [];
      let refused: unknown;
      for (let second = 0; second < 240; second++) {
        const waiting = pool.acquire().catch((error: unknown) => (refused = error));
        await settle();
        if (started.length > times.length) {
          times.push(second);
          started.at(-1)!.fail();
        }
        await waiting;
        await vi.advanceTimersByTimeAsync(1000);
      }
      expect(times).toEqual([0, 1, 3, 8, 18, 48, 108, 168, 228]);
      expect(refused).toMatchObject({ status: 502, retryAfter: expect.any(Number) });
      expect(onEmpty).not.toHaveBeenCalled();
      await pool.close();
    },
  );

  it('says when it tries again, and tries at once after a change', async () => {
    const { pool, started } = start();
    for (const seconds of [1, 2, 5]) {
      const waiting = expect(pool.acquire()).rejects.toMatchObject({ retryAfter: seconds });
      await settle();
      started.at(-1)!.fail();
      await waiting;
      if (seconds < 5) await vi.advanceTimersByTimeAsync(seconds * 1000);
    }
    await vi.advanceTimersByTimeAsync(1500);
    await expect(pool.acquire()).rejects.toMatchObject({ retryAfter: 4 });
    expect(started).toHaveLength(3);
    pool.tryAgain();
    const next = expect(pool.acquire()).rejects.toMatchObject({ retryAfter: 1 });
    await settle();
    expect(started).toHaveLength(4);
    started[3]!.fail();
    await next;
  });

  it('knows failed starts until nobody has asked for two minutes, also when no process is kept', async () => {
    const { pool, started, onEmpty } = start();
    const waiting = expect(pool.acquire()).rejects.toMatchObject({ status: 502 });
    await settle();
    started[0]!.fail();
    await waiting;
    await expect(pool.acquire()).rejects.toMatchObject({ status: 502 });
    await vi.advanceTimersByTimeAsync(119_999);
    expect(onEmpty).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(onEmpty).toHaveBeenCalledOnce();
    expect(started).toHaveLength(1);
  });

  it('reserves a place for the socket of a page for 45 seconds', async () => {
    const { pool, started } = start({ maxProcesses: 1, maxConnections: 1 });
    const page = pool.acquire();
    await settle();
    started[0]!.listen();
    (await page).reserve();
    await expect(pool.acquire()).rejects.toMatchObject({ status: 503 });
    const socket = await pool.acquireReserved();
    await vi.advanceTimersByTimeAsync(45_000);
    expect(started[0]!.connections).toBe(1);
    socket.reserve();
    await vi.advanceTimersByTimeAsync(45_000);
    expect(started[0]!.connections).toBe(0);
  });

  it('a retired pool rejects new visitors, serves current ones, and stops with the last', async () => {
    const { pool, started } = start({ loadFactor: 1 });
    const inside = pool.acquire();
    await settle();
    const retired = vi.fn();
    void pool.retire().then(retired);
    await expect(pool.acquire()).rejects.toMatchObject({ status: 502 });
    started[0]!.listen();
    const lease = await inside;
    await settle();
    expect(retired).not.toHaveBeenCalled();
    lease.release();
    await settle();
    expect(retired).toHaveBeenCalled();
  });

  it('a closed pool stops all processes at once', async () => {
    const { pool, started } = start();
    const waiting = expect(pool.acquire()).rejects.toMatchObject({ status: 502 });
    await settle();
    await pool.close();
    await waiting;
    expect(started[0]!.isStopped).toBe(true);
  });
});

describe('Scheduling', () => {
  const load = fc.record({
    maxProcesses: fc.integer({ min: 1, max: 20 }),
    maxConnections: fc.integer({ min: 1, max: 50 }),
    loadFactor: fc.double({ min: 0, max: 1, noNaN: true }),
    processes: fc.integer({ min: 0, max: 25 }),
    connections: fc.integer({ min: 0, max: 500 }),
  });

  it('wantsProcess respects MaxProcesses and starts another one when all are full', () => {
    fc.assert(
      fc.property(load, ({ processes, connections, ...settings }) => {
        const scheduling = { ...DEFAULTS, ...settings };
        const { maxProcesses, maxConnections, loadFactor } = settings;
        const mayStart = processes < maxProcesses;
        const mustStart = processes === 0 || loadFactor === 0 || connections >= processes * maxConnections;
        const wants = wantsProcess(scheduling, processes, connections);
        expect(wants && !mayStart).toBe(false);
        expect(mayStart && mustStart && !wants).toBe(false);
      }),
    );
  });

  it('leastLoaded returns the least loaded process below its limit', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 })), fc.integer({ min: 1, max: 9 }), (loads, max) => {
        const chosen = leastLoaded(
          loads.map((connections) => ({ connections })),
          max,
        );
        const least = Math.min(...loads);
        expect(chosen?.connections ?? null).toBe(loads.length > 0 && least < max ? least : null);
      }),
    );
  });
});
