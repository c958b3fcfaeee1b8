import { describe, expect, test } from 'vitest';
import { InvalidResponseError, NoResponseError, RefusedError } from '../../client/failures.ts';
import { createFakeClock } from '../../client/testing/fake-clock.ts';
import { watchTask, type TaskReader, type WatchEvent, type WatchOptions } from './watch-task.ts';

const context = { operation: 'getTask', server: 'https://connect.example' };
const refused = (status: number, code: number) =>
  new RefusedError({ ...context, status, code, message: 'no', payload: null });
const lost = (kind: 'reset' | 'refused' | 'tls' = 'reset') =>
  new NoResponseError({ ...context, kind, message: 'gone' });
const gateway = () => new InvalidResponseError({ ...context, kind: 'html', status: 502, message: 'page' });

interface State {
  lines: string[];
  finished?: boolean;
  code?: number;
  error?: string;
}

/** A server that answers the n-th request with the n-th step: a state of the task, or a failure. */
function serverOf(steps: readonly (State | Error)[]) {
  const asked: { first?: number; wait?: number }[] = [];
  const reader: TaskReader = {
    async getTask({ id, first = 0, wait = 0 }) {
      const step = steps[Math.min(asked.length, steps.length - 1)] as State | Error;
      asked.push({ first, wait });
      if (step instanceof Error) throw step;
      if (first > step.lines.length) throw refused(400, 13);
      const { lines, finished = false, code = 0, error = '' } = step;
      return { id, output: lines.slice(first), last: lines.length, finished, code, error };
    },
  };
  return { reader, asked };
}

async function watch(steps: readonly (State | Error)[], options: WatchOptions = {}) {
  const { reader, asked } = serverOf(steps);
  const clock = createFakeClock();
  const events = await Array.fromAsync(watchTask(reader, 'T', { clock, ...options }));
  const lines = events.filter((event) => event.type === 'log').map(({ line, index }) => `${index}:${line}`);
  return { lines, end: events.at(-1) as WatchEvent, asked, sleeps: clock.sleeps };
}

test('reports every line once and in order, and then the end', async () => {
  const { lines, end, asked } = await watch([
    { lines: ['a', 'b'] },
    { lines: ['a', 'b'] },
    { lines: ['a', 'b', 'c'], finished: true },
  ]);
  expect(lines).toEqual(['0:a', '1:b', '2:c']);
  expect(end).toEqual({ type: 'finished', task_id: 'T', code: 0, error: '', end_reason: null, lines: 3 });
  expect(asked.map(({ first }) => first)).toEqual([0, 2, 2]);
});

test('continues after lines already seen', async () => {
  const { lines } = await watch([{ lines: ['a', 'b', 'c'], finished: true }], { first: 2 });
  expect(lines).toEqual(['2:c']);
});

test('does not wait longer because the clock was set back meanwhile', async () => {
  const clock = createFakeClock();
  let behind = 0;
  const now = () => clock.now() - (behind += 3_600_000);
  const { reader } = serverOf([{ lines: [] }, { lines: [], finished: true }]);
  await Array.fromAsync(watchTask(reader, 'T', { clock: { ...clock, now } }));
  expect(clock.sleeps).toEqual([500]);
});

test('waits longer while the task is quiet, up to the maximum wait', async () => {
  const quiet = { lines: [] };
  const { asked } = await watch([
    quiet,
    quiet,
    quiet,
    quiet,
    quiet,
    quiet,
    { lines: ['x'] },
    { lines: ['x'], finished: true },
  ]);
  expect(asked.map(({ wait }) => wait)).toEqual([1, 2, 4, 8, 16, 20, 20, 1]);
  expect(
    (await watch([quiet, { lines: [], finished: true }], { wait: 90 })).asked.every(
      ({ wait = 0 }) => wait <= 20,
    ),
  ).toBe(true);
});

test('asks for the next line with each request, of servers that know that wait', async () => {
  const waits: unknown[] = [];
  const { reader } = serverOf([{ lines: ['a'] }, { lines: ['a'] }, { lines: ['a'], finished: true }]);
  const noting: TaskReader = {
    getTask(args, options) {
      waits.push([args.wait, args.output_wait]);
      return reader.getTask(args, options);
    },
  };
  await Array.fromAsync(watchTask(noting, 'T', { clock: createFakeClock() }));
  // The first wait is what other servers go by.
  expect(waits).toEqual([
    [1, 20],
    [1, 20],
    [2, 20],
  ]);
});

test('polls twice a second when the server ignores the wait', async () => {
  const quiet = { lines: ['a'] };
  const steps = [quiet, quiet, quiet, { lines: ['a', 'b'] }, { lines: ['a', 'b'], finished: true }];
  // A short pause after a request that returned lines.
  expect((await watch(steps)).sleeps).toEqual([100, 500, 500, 100]);
  expect((await watch(steps, { wait: 0 })).sleeps).toEqual([100, 500, 500, 100]);
});

test('reports a failed task as finished with its code', async () => {
  const { end } = await watch([{ lines: ['x'], finished: true, code: 1, error: 'render failed' }]);
  expect(end).toMatchObject({ type: 'finished', code: 1, error: 'render failed' });
});

test('fetches the rest of the output after the end', async () => {
  const pieces: TaskReader = {
    getTask: async ({ id, first = 0 }) => ({
      id,
      output: ['a', 'b', 'c', 'd', 'e'].slice(first, first + 2),
      last: 5,
      finished: true,
      code: 0,
      error: '',
    }),
  };
  const events = await Array.fromAsync(watchTask(pieces, 'T', { clock: createFakeClock() }));
  expect(events.filter(({ type }) => type === 'log')).toHaveLength(5);
  expect(events.at(-1)).toMatchObject({ type: 'finished', lines: 5 });
});

describe('Failed requests', () => {
  test.each([
    ['404 behind a load balancer', refused(404, 4)],
    ['error 141', refused(404, 141)],
    ['a broken connection', lost()],
    ['a restart', lost('refused')],
    ['the error page of a proxy', gateway()],
    ['503', refused(503, 1)],
  ])('retries after %s without duplicate lines', async (_name, failure) => {
    const { lines, end, sleeps } = await watch([
      { lines: ['a'] },
      failure,
      failure,
      { lines: ['a', 'b'], finished: true },
    ]);
    expect(lines).toEqual(['0:a', '1:b']);
    expect(end.type).toBe('finished');
    expect(sleeps).toEqual([100, 375, 750]);
  });

  test('ends as unknown with the next line after too many failures', async () => {
    const { end, asked } = await watch([{ lines: ['a'] }, refused(404, 141)], { patience: 4 });
    expect(end).toMatchObject({ type: 'unknown', task_id: 'T', first: 1, failure: { code: 141 } });
    expect(asked).toHaveLength(6);
  });

  test('counts only consecutive failures', async () => {
    const steps = Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? lost() : { lines: [] }));
    const { end } = await watch([...steps, { lines: [], finished: true }], { patience: 2 });
    expect(end.type).toBe('finished');
  });

  test.each([
    ['a refused key', refused(401, 24)],
    ['no permission', refused(403, 19)],
    ['a certificate error', lost('tls')],
  ])('ends at once as unknown after %s', async (_name, failure) => {
    const { end, asked } = await watch([{ lines: ['a'] }, failure]);
    expect(end).toMatchObject({ type: 'unknown', first: 1 });
    expect(asked).toHaveLength(2);
  });

  test('reads from the start again after the server lost lines, without duplicates', async () => {
    const { lines, end, asked } = await watch([
      { lines: ['a', 'b', 'c'] },
      { lines: ['a'] },
      { lines: ['a', 'b'] },
      { lines: ['a', 'b', 'c', 'd'], finished: true },
    ]);
    expect(lines).toEqual(['0:a', '1:b', '2:c', '3:d']);
    expect(end.type).toBe('finished');
    expect(asked.map(({ first }) => first)).toEqual([0, 3, 0, 0]);
  });

  test('throws an error of the program', async () => {
    await expect(watch([new RangeError('bug')])).rejects.toThrow('bug');
  });
});

describe('Abort', () => {
  test('throws the reason while the server waits', async () => {
    const controller = new AbortController();
    const reader: TaskReader = {
      getTask: async () => {
        controller.abort(new Error('enough'));
        throw lost();
      },
    };
    const all = Array.fromAsync(
      watchTask(reader, 'T', { signal: controller.signal, clock: createFakeClock() }),
    );
    await expect(all).rejects.toThrow('enough');
  });

  test('throws the reason while waiting for a retry', async () => {
    const controller = new AbortController();
    const { reader } = serverOf([lost()]);
    const clock = createFakeClock(() => controller.abort(new Error('enough')));
    const all = Array.fromAsync(watchTask(reader, 'T', { signal: controller.signal, clock }));
    await expect(all).rejects.toThrow('enough');
  });
});

describe('Stages', () => {
  const LINES = ['Bundle of Shiny', 'Extracted 2 files, 40 bytes', 'Restoring packages', 'Activated'];
  const told = async (read: TaskReader['getTask'], first = 0) =>
    (await Array.fromAsync(watchTask({ getTask: read }, 'T', { clock: createFakeClock(), first })))
      .filter(({ type }) => type === 'stage' || type === 'log')
      .map((event) => (event.type === 'stage' ? event.stage : event.type === 'log' ? event.index : ''));
  const respond = (first = 0, count = LINES.length) => ({
    id: 'T',
    output: LINES.slice(first, count),
    last: count,
    finished: count === LINES.length,
    code: 0,
    error: '',
  });
  const time = '2026-11-22T10:00:00.000Z';

  test('of the server come once, before their first line', async () => {
    const said = [
      { name: 'extract', line: 1, time },
      { name: 'start', line: 3, time },
      { name: 'activate', line: 3, time },
    ] as const;
    const counts = [1, 3, 4];
    expect(
      await told(async ({ first = 0 }) => {
        const count = counts.shift() ?? 4;
        return { ...respond(first, count), stages: said.filter(({ line }) => line <= count).slice(0, count) };
      }),
    ).toEqual([0, 'extract', 1, 2, 'start', 'activate', 3]);
    expect(await told(async ({ first = 0 }) => ({ ...respond(first), stages: [...said] }), 2)).toEqual([
      'extract',
      2,
      'start',
      'activate',
      3,
    ]);
  });

  test('are derived from the output of servers without stages, in order', async () => {
    expect(await told(async ({ first = 0 }) => respond(first))).toEqual([
      0,
      'extract',
      1,
      'restore',
      2,
      'activate',
      3,
    ]);
  });
});
