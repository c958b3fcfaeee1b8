// Covers tasks whose end cannot be written (full disk, database restart), and tasks cancelled before they begin, while
// they wait, or if this server does not know them.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errors } from '@pressroom/api/contract';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Heartbeat } from '../cluster/heartbeat.ts';
import { systemClock, systemIds } from '../platform/clock.ts';
import { openStorage, type Storage } from '../platform/database/storage.ts';
import { LEASE } from './take-over.ts';
import { createTaskService, type TaskOptions, type TaskService } from './task-service.ts';

const MINUTE_MS = 60_000;

/** Starts tasks with a database that can refuse writes. */
async function start({
  clock = systemClock(),
  heartbeat = null,
}: Partial<Pick<TaskOptions, 'clock' | 'heartbeat'>> = {}): Promise<{
  tasks: TaskService;
  id: string;
  /** Creates another task for the same content. */
  create: () => Promise<string>;
  disk: { isFull: boolean };
  /** Results of the next writes while the database is away. */
  away: ('refused' | 'response lost')[];
  logged: string[];
}> {
  const disk = { isFull: false };
  const real = await openStorage(join(directory, 'pressroom.sqlite'));
  opened = real;
  const away: ('refused' | 'response lost')[] = [];
  const storage: Storage = {
    ...real,
    async write(work) {
      if (disk.isFull) throw new Error('database or disk is full');
      const fate = away.shift();
      const written = fate === 'refused' ? null : await real.write(work);
      if (fate !== undefined)
        throw errors.internal({ message: 'The database cannot be reached', status: 503 });
      return written as Awaited<ReturnType<typeof work>>;
    },
  };
  const logged: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
  const tasks = createTaskService({
    storage,
    clock,
    ids: systemIds(),
    log,
    retention: 3600,
    heartbeat,
    atOnce: 1,
  });
  const subject = { kind: 'deploy', content_guid: 'c', bundle_id: 1, user_guid: 'u' } as const;
  const create = () => storage.write((tx) => tasks.create(tx, subject));
  return { tasks, id: await create(), create, disk, away, logged };
}

let directory: string;
let opened: Storage;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pressroom-tasks-'));
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await opened[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

it.each(['prints', 'prints nothing'])(
  'records a task that %s as failed once the full disk has room again',
  async (printing) => {
    const { tasks, id, disk } = await start();
    const completion = vi.fn(async () => undefined);
    await tasks.run(id, async ({ log }) => {
      disk.isFull = true;
      if (printing === 'prints') log('a line');
      return completion;
    });
    expect(await tasks.find(id)).toMatchObject({ finished: 0 });
    disk.isFull = false;
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    await expect
      .poll(() => tasks.find(id))
      .toMatchObject({ finished: 1, code: 1, error: expect.stringContaining('disk may be full') });
    expect(completion).not.toHaveBeenCalled();
  },
);

it.each([
  ['ENOSPC', 'The disk of the server is full. Its administrator has to make room.'],
  ['EROFS', 'The disk of the server is read-only. Its administrator has to make it writable.'],
])(
  'says that the disk is the reason of a failure (%s), without paths of the server',
  async (code, reason) => {
    const { tasks, id } = await start();
    await tasks.run(id, () =>
      Promise.reject(Object.assign(new Error(`${code}: open '/srv/work'`), { code })),
    );
    expect(await tasks.find(id)).toMatchObject({ finished: 1, code: 1, error: reason });
  },
);

it.each([
  ['refused', 'refused'],
  ['response lost', 'refused'],
  ['refused', 'response lost'],
  ['response lost', 'response lost'],
] as const)(
  'keeps output and result of a task across a database outage: lines %s, end %s',
  async (lines, end) => {
    const { tasks, id, away } = await start();
    const completion = vi.fn(async () => undefined);
    await tasks.run(id, async ({ log }) => {
      away.push(lines);
      log('first');
      log('second');
      await expect.poll(async () => (await tasks.find(id))?.lines).toBe(2);
      away.push(end);
      return completion;
    });
    const view = await tasks.read(id, { first: 0, wait: 0, signal: new AbortController().signal });
    expect(view).toMatchObject({ task: { finished: 1, code: 0, lines: 2 }, output: ['first', 'second'] });
    expect(completion).toHaveBeenCalledOnce();
  },
);

it.each(['cancelled', 'interrupted by a stop'])(
  'a task that is %s while its end is being recorded keeps its result',
  async (how) => {
    const { tasks, id, away } = await start();
    const completion = vi.fn(async () => undefined);
    const isOver = Promise.withResolvers<void>();
    const done = tasks.run(id, async () => {
      away.push('refused');
      isOver.resolve();
      return completion;
    });
    await isOver.promise;
    await expect.poll(() => away.length, { interval: 5 }).toBe(0);
    await (how === 'cancelled' ? tasks.cancel(id) : tasks[Symbol.asyncDispose]());
    await done;
    expect(await tasks.find(id)).toMatchObject({ finished: 1, code: 0 });
    expect(completion).toHaveBeenCalledOnce();
  },
);

it('who waits for output gets the next line while the task runs, and then its end', async () => {
  const { tasks, id } = await start();
  const goOn = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const done = tasks.run(id, async ({ log }) => {
    await goOn.promise;
    log('a line');
    await end.promise;
    return async () => undefined;
  });
  const read = (first: number) => {
    const { signal } = new AbortController();
    return tasks.read(id, { first, wait: 0, output_wait: 3600, signal });
  };
  const next = read(0);
  goOn.resolve();
  expect(await next).toMatchObject({ task: { finished: 0, lines: 1 }, output: ['a line'] });
  // What is there already needs no wait.
  expect(await read(0)).toMatchObject({ task: { finished: 0 }, output: ['a line'] });
  const last = read(1);
  end.resolve();
  await done;
  expect(await last).toMatchObject({ task: { finished: 1, code: 0 }, output: [] });
});

it('a task cancelled while its output is being recorded ends as cancelled', async () => {
  const { tasks, id, away } = await start();
  const isWriting = Promise.withResolvers<void>();
  const done = tasks.run(id, async ({ log, signal }) => {
    away.push('refused');
    log('a line');
    isWriting.resolve();
    await new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    throw new Error('it was cancelled before');
  });
  await isWriting.promise;
  await expect.poll(() => away.length, { interval: 5 }).toBe(0);
  await tasks.cancel(id);
  await done;
  const view = await tasks.read(id, { first: 0, wait: 0, signal: new AbortController().signal });
  expect(view).toMatchObject({
    task: { error: 'The task was cancelled.', end_reason: 'cancelled' },
    output: ['a line', expect.any(String)],
  });
});

it('a task cancelled during its lookup never starts and ends as cancelled', async () => {
  const { tasks, id } = await start();
  const work = vi.fn(() => new Promise<never>(() => undefined));
  const done = tasks.run(id, work);
  await tasks.cancel(id);
  await done;
  expect(work).not.toHaveBeenCalled();
  expect(await tasks.find(id)).toMatchObject({ finished: 1, code: 1, end_reason: 'cancelled' });
});

it('a task queued behind one that a stop interrupts does not start', async () => {
  const { tasks, id, create } = await start();
  const next = await create();
  const begun = Promise.withResolvers<void>();
  const first = tasks.run(id, async ({ signal }) => {
    begun.resolve();
    await once(signal, 'abort');
    throw signal.reason;
  });
  const work = vi.fn(async () => async () => undefined);
  const second = first.then(() => tasks.run(next, work));
  await begun.promise;
  await tasks[Symbol.asyncDispose]();
  await second;
  expect(work).not.toHaveBeenCalled();
  const error = expect.stringContaining('The server stopped');
  expect([await tasks.find(id), await tasks.find(next)]).toMatchObject([{ error }, { error }]);
});

/** A heartbeat that the test triggers. */
function heartbeatOnDemand(): Heartbeat {
  const works: (() => Promise<void>)[] = [];
  return {
    node: 'n',
    onBeat(work) {
      works.push(work);
      return { [Symbol.dispose]: () => undefined };
    },
    isFirst: async () => true,
    beat: async () => {
      for (const work of works) await work();
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

it('does not take over a task whose turn has come while its work waits locally', async () => {
  let later = 0;
  const system = systemClock();
  const clock = { now: () => system.now() + later };
  const heartbeat = heartbeatOnDemand();
  const { tasks, id } = await start({ clock, heartbeat });
  const resume = vi.fn(async () => true);
  await tasks.turn(id);
  later = 2 * LEASE;
  tasks.takeOver(resume);
  await heartbeat.beat();
  expect(resume).not.toHaveBeenCalled();
  const work = vi.fn(async () => async () => undefined);
  await tasks.run(id, work);
  expect(work).toHaveBeenCalledOnce();
  expect(await tasks.find(id)).toMatchObject({ finished: 1, code: 0, attempt: 0 });
});

it('a created task whose database response was lost does not block those behind it', async () => {
  let later = 0;
  const system = systemClock();
  const clock = { now: () => system.now() + later };
  const heartbeat = heartbeatOnDemand();
  const { tasks, id: forgotten, create } = await start({ clock, heartbeat });
  const work = async () => async () => undefined;
  const next = await create();
  const done = tasks.turn(next)!.then(() => tasks.run(next, work));
  // The waiting task's lease is renewed.
  later = LEASE / 2;
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  await expect.poll(async () => (await tasks.find(next))!.lease_until).toBeGreaterThan(system.now() + LEASE);
  later = 1.2 * LEASE;
  const resumed: string[] = [];
  tasks.takeOver(async ({ id }) => {
    resumed.push(id);
    void tasks.turn(id)!.then(() => tasks.run(id, work));
    return true;
  });
  await heartbeat.beat();
  expect(resumed).toEqual([forgotten]);
  await done;
  expect(await tasks.find(forgotten)).toMatchObject({ finished: 1, code: 0 });
  expect(await tasks.find(next)).toMatchObject({ finished: 1, code: 0, attempt: 0 });
});

it.each([
  ['logs a failed task as an error', null, /"level":50.*failed"/],
  [
    'logs no error for a failed task that another server has taken over',
    'other',
    /^(?!.*"level":50).*taken over/,
  ],
])('%s', async (_name, node, expected) => {
  const { tasks, id, logged } = await start();
  await tasks.run(id, async () => {
    if (node !== null) await opened.db.updateTable('task').set({ node }).execute();
    throw new Error('gone');
  });
  expect(logged.join('')).toMatch(new RegExp(expected.source, 's'));
});

it('removes old tasks with turns for others in between, and keeps younger ones', async () => {
  let now = 10 ** 15;
  const { tasks, create, id } = await start({ clock: { now: () => now } });
  const done = async () => async () => undefined;
  for (let i = 0; i < 450; i++) await tasks.run(await create(), done);
  now += 2 * 3_600_000_000;
  await tasks.run(await create(), done);
  let turns = 0;
  let turn = setImmediate(function count() {
    turns += 1;
    turn = setImmediate(count);
  });
  await tasks.sweep();
  clearImmediate(turn);
  expect(turns).toBeGreaterThan(1);
  const left = await opened.db
    .selectFrom('task')
    .select(['id', 'finished'])
    .orderBy('created_time')
    .execute();
  expect(left).toEqual([
    { id, finished: 0 },
    { id: expect.any(String), finished: 1 },
  ]);
});
