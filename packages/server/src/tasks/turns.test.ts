// Covers turns of tasks: requests that wait for a database connection go first, but only for a limited time.
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Storage } from '../platform/database/storage.ts';
import { createTurns, type Turns } from './turns.ts';

let turns: Turns;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  turns[Symbol.dispose]();
  vi.useRealTimers();
});

/** Uses a database whose number of waiting requests is `waiting()`. */
function start(waiting: () => number) {
  const write = vi.fn(async () => ({ begun: ['a'], over: [] }));
  const connections = () => ({ open: 10, idle: 0, waiting: waiting() });
  const storage = { write, connections } as unknown as Storage;
  turns = createTurns({ storage, node: 'n', atOnce: 1, log: pino({ level: 'silent' }) });
  return write;
}

it('requests that wait for a database connection go before a task', async () => {
  const left = [2, 1, 0];
  const write = start(() => {
    // No task began while a request waited.
    expect(write).not.toHaveBeenCalled();
    return left.shift() ?? 0;
  });
  await turns.turn('a');
  expect(left).toEqual([]);
  expect(write).toHaveBeenCalledOnce();
});

it('a task starts after a second, however many requests wait', async () => {
  let asked = 0;
  const write = start(() => {
    asked += 1;
    vi.advanceTimersByTime(400);
    return 1;
  });
  await turns.turn('a');
  // After 400, 800 and 1,200 ms.
  expect(asked).toBe(3);
  expect(write).toHaveBeenCalledOnce();
});
