// Guessing gets slower, and nobody is locked out by somebody else's guesses.
import { ApiError } from '@pressroom/api';
import { expect, test } from 'vitest';
import { createThrottle } from './throttle.ts';

const wrong = () => Promise.reject(new ApiError(30));
const right = () => Promise.resolve('in');
const HERE = '192.0.2.1';

function setUp() {
  let time = 0;
  const waits: number[] = [];
  const pause = async (ms: number) => void waits.push(ms);
  const throttle = createThrottle({ now: () => time }, pause);
  return {
    waits,
    throttle,
    later: (seconds: number) => (time += seconds * 1_000_000),
    fail: async (times: number, name = 'ann', address = HERE) => {
      for (let i = 0; i < times; i += 1) {
        await expect(throttle.attempt(name, address, wrong)).rejects.toMatchObject({ code: 30 });
      }
    },
  };
}

test('the first failures cost nothing, each one after twice as much, up to a limit', async () => {
  const { waits, fail } = setUp();
  await fail(4);
  expect(waits).toEqual([]);
  await fail(8);
  expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});

test('the right password is taken however many failed, and clears them', async () => {
  const { waits, fail, throttle } = setUp();
  await fail(20);
  expect(await throttle.attempt('ann', HERE, right)).toBe('in');
  waits.length = 0;
  await fail(4);
  expect(waits).toEqual([]);
});

test('only the same name from the same place waits', async () => {
  const { waits, fail, throttle } = setUp();
  await fail(20);
  waits.length = 0;
  expect(await throttle.attempt('ann', '192.0.2.2', right)).toBe('in');
  expect(await throttle.attempt('bob', HERE, right)).toBe('in');
  expect(waits).toEqual([]);
  await fail(1, 'ANN');
  expect(waits).toEqual([30_000]);
});

test('an IPv6 network is one place', async () => {
  const { waits, fail } = setUp();
  await fail(4, 'ann', '2001:db8:1:2::1');
  await fail(1, 'ann', '2001:db8:1:2:ffff::9');
  expect(waits).toEqual([1000]);
  await fail(1, 'ann', '2001:db8:1:3::1');
  await fail(1, 'ann', '::1');
  expect(waits).toEqual([1000]);
});

test('failures are forgotten after a quarter of an hour', async () => {
  const { waits, fail, later } = setUp();
  await fail(10);
  waits.length = 0;
  later(901);
  await fail(4);
  expect(waits).toEqual([]);
});

test('attempts at once are made one after the other, and too many of them are refused', async () => {
  const { throttle } = setUp();
  const begun: (() => void)[] = [];
  const slow = () => new Promise<string>((resolve) => begun.push(() => resolve('in')));
  const attempts = Array.from({ length: 5 }, () => throttle.attempt('ann', HERE, slow));
  await expect(throttle.attempt('ann', HERE, slow)).rejects.toMatchObject({ code: 30 });
  for (let i = 0; i < 5; i += 1) {
    await new Promise(setImmediate);
    expect(begun).toHaveLength(i + 1);
    begun[i]!();
  }
  expect(await Promise.all(attempts)).toEqual(Array.from({ length: 5 }, () => 'in'));
});

test('a directory that is down is nobody’s failure', async () => {
  const { waits, throttle } = setUp();
  for (let i = 0; i < 10; i += 1) {
    const down = () => Promise.reject(new ApiError(63));
    await expect(throttle.attempt('ann', HERE, down)).rejects.toMatchObject({ code: 63 });
  }
  expect(waits).toEqual([]);
});
