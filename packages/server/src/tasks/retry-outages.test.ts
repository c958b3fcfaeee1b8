import { errors } from '@pressroom/api/contract';
import { beforeEach, expect, test } from 'vitest';
import { Outage } from '../platform/outage.ts';
import { startFailed } from '../runtime/unavailable.ts';
import { retryOutages } from './retry-outages.ts';

const lines: string[] = [];
const context = () => ({
  log: (line: string) => void lines.push(line),
  signal: new AbortController().signal,
});
const storeIsAway = (end = '') =>
  errors.internal({ message: `The S3 store cannot be reached${end}`, status: 503 });

beforeEach(() => {
  lines.length = 0;
});

test.each([
  ['a store', storeIsAway()],
  ['an engine', startFailed(new Outage('the container engine does not respond'))],
])('retries after an outage of %s and logs it', async (_what, error) => {
  let tries = 0;
  const work = async () => {
    tries += 1;
    if (tries < 3) throw error;
    return 'done';
  };
  expect(await retryOutages(context(), work, 1)).toBe('done');
  expect(lines).toEqual(Array(2).fill(expect.stringMatching(/\. Trying again in 0\.001 seconds$/)));
});

test('logs what is missing once, without the advice to try again', async () => {
  const works = [storeIsAway('. Try again in a moment.'), storeIsAway('.'), storeIsAway()];
  await retryOutages(
    context(),
    async () => {
      const error = works.pop();
      if (error) throw error;
    },
    1,
  );
  expect(lines).toEqual(Array(3).fill('The S3 store cannot be reached. Trying again in 0.001 seconds'));
});

test('fails after a lasting outage with the last error', async () => {
  let tries = 0;
  const work = async () => {
    tries += 1;
    throw storeIsAway();
  };
  await expect(retryOutages(context(), work, 5, 100)).rejects.toThrow('The S3 store cannot be reached');
  expect(tries).toBeGreaterThan(1);
});

test('fails at once for other errors and for a cancelled task', async () => {
  await expect(retryOutages(context(), () => Promise.reject(new Error('wrong')))).rejects.toThrow('wrong');
  expect(lines).toEqual([]);
  const cancelled = new AbortController();
  const log = (line: string) => {
    lines.push(line);
    cancelled.abort();
  };
  const done = retryOutages({ log, signal: cancelled.signal }, () => Promise.reject(storeIsAway()));
  await expect(done).rejects.toThrow();
  expect(lines).toHaveLength(1);
});
