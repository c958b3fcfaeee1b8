import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { startDiskWatch } from './disk-watch.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('warns once an hour about a disk below the reserve, and logs its recovery', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const lines: { level: number; msg: string; free?: number }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  let free = 200;
  using watch = startDiskWatch({ directory: '/data', reserve: 100, log, freeIn: async () => free });
  expect([watch.room, watch.isLow]).toEqual([null, false]);
  await watch.look();
  expect([watch.isLow, lines]).toEqual([false, []]);
  free = 99;
  for (let minute = 0; minute < 61; minute++) await vi.advanceTimersByTimeAsync(60_000);
  expect(watch.isLow).toBe(true);
  expect(lines.map(({ level, free: left }) => [level, left])).toEqual([
    [40, 99],
    [40, 99],
  ]);
  expect(lines[0]!.msg).toContain('the disk is almost full');
  free = 100;
  await watch.look();
  expect(lines.at(-1)).toMatchObject({ level: 30, msg: expect.stringContaining('has room again') as string });
  expect(watch.isLow).toBe(false);
});

test('keeps its state when the disk cannot be examined', async () => {
  const freeIn = vi.fn().mockResolvedValueOnce(1).mockRejectedValue(new Error('gone'));
  const log = pino({ level: 'silent' });
  using watch = startDiskWatch({ directory: '/data', reserve: 100, log, freeIn });
  await watch.look();
  await watch.look();
  expect(watch.isLow).toBe(true);
});
