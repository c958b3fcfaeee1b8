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
