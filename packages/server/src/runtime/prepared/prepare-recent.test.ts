import { expect, test } from 'vitest';
import { prepareRecent } from './prepare-recent.ts';

const NEVER = new AbortController().signal;

test('prepares recent content in order, one at a time, while the machine is idle', async () => {
  const shares = [0.1, 0.9, 0.2, 0.3, 0.8];
  const happened: string[] = [];
  const prepared = await prepareRecent({
    recent: async () => ['newest', 'older'],
    prepare: async (one) => void happened.push(one),
    idleShare: async () => {
      const share = shares.shift() ?? 0;
      happened.push(String(share));
      return share;
    },
    pause: 0,
    signal: NEVER,
  });
  expect(prepared).toBe(2);
  expect(happened).toEqual(['0.1', '0.9', 'newest', '0.2', '0.3', '0.8', 'older']);
});

test('prepares nothing on a busy machine or during a stop', async () => {
  const busy = {
    recent: async () => [1],
    prepare: async () => undefined,
    idleShare: async () => 0,
    pause: 0,
  };
  expect(await prepareRecent({ ...busy, signal: NEVER })).toBe(0);
  const stopping = new AbortController();
  const stopped = prepareRecent({
    ...busy,
    idleShare: async () => (stopping.abort(), 1),
    signal: stopping.signal,
  });
  expect(await stopped).toBe(0);
});

test('what fails because of a stop is no failure', async () => {
  const stopping = new AbortController();
  const closed = async () => {
    stopping.abort();
    throw new Error('driver has already been destroyed');
  };
  const preparing = prepareRecent({
    recent: closed,
    prepare: async () => undefined,
    signal: stopping.signal,
  });
  expect(await preparing).toBe(0);
});
