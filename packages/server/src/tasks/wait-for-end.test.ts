import { afterEach, expect, test, vi } from 'vitest';
import type { Storage } from '../platform/database/storage.ts';
import { createEnds } from './wait-for-end.ts';

afterEach(() => vi.restoreAllMocks());

test('a clock that is set back does not make readers wait longer', async () => {
  const ends = createEnds({ db: {} as Storage['db'], isShared: false });
  const hour = 3_600_000;
  let isBack = false;
  const real = Date.now;
  vi.spyOn(Date, 'now').mockImplementation(() => real() - (isBack ? hour : 0));
  const waited = ends.wait('task', 20, new AbortController().signal);
  isBack = true;
  await expect(waited).resolves.toBeUndefined();
});

test('no timer is set for a time that is over', async () => {
  const ends = createEnds({ db: {} as Storage['db'], isShared: false });
  const timers = vi.spyOn(globalThis, 'setTimeout');
  vi.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValueOnce(4.9).mockReturnValue(5.1);
  await ends.wait('task', 5, new AbortController().signal);
  expect(timers.mock.calls.filter(([, milliseconds]) => milliseconds! <= 0)).toEqual([]);
});
