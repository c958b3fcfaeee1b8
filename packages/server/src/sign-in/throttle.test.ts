// Covers throttling of failed sign-ins: guesses get slower, and nobody is locked out by the guesses of others.
import { errors } from '@pressroom/api/contract';
import { describe, expect, test } from 'vitest';
import { createThrottle } from './throttle.ts';

const wrong = () => Promise.reject(errors.invalidCredentials());
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
    fail: async (times: number, name = 'ann', address = HERE, device: string | null = null) => {
      for (let i = 0; i < times; i += 1) {
        await expect(throttle.attempt({ username: name, address, device }, wrong)).rejects.toMatchObject({
          code: 30,
        });
      }
    },
  };
}

test('delays failures from the fifth on, twice as long each time, up to a limit', async () => {
  const { waits, fail } = setUp();
  await fail(4);
  expect(waits).toEqual([]);
  await fail(8);
  expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});

test('accepts the right password after any number of failures and resets them', async () => {
  const { waits, fail, throttle } = setUp();
  await fail(20);
  expect(await throttle.attempt({ username: 'ann', address: HERE, device: null }, right)).toBe('in');
  waits.length = 0;
  await fail(4);
  expect(waits).toEqual([]);
});

test('delays only the same name from the same address', async () => {
  const { waits, fail, throttle } = setUp();
  await fail(20);
  waits.length = 0;
  expect(await throttle.attempt({ username: 'ann', address: '192.0.2.2', device: null }, right)).toBe('in');
  expect(await throttle.attempt({ username: 'bob', address: HERE, device: null }, right)).toBe('in');
  expect(waits).toEqual([]);
  await fail(1, 'ANN');
  expect(waits).toEqual([30_000]);
});

test('counts spellings that a directory treats as equal as one name', async () => {
  const { waits, fail } = setUp();
  await fail(4);
  // Spaces, invisible characters, full-width forms and, in Active Directory, accents.
  for (const name of ['ann ', ' a\u00adnn', 'a\u200bnn', '\uff41nn', 'a\u00f1n']) await fail(1, name);
  expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000]);
  waits.length = 0;
  await fail(1, 'a-nn');
  expect(waits).toEqual([]);
});

test('counts an IPv6 network as one address', async () => {
  const { waits, fail } = setUp();
  await fail(4, 'ann', '2001:db8:1:2::1');
  await fail(1, 'ann', '2001:db8:1:2:ffff::9');
  expect(waits).toEqual([1000]);
  await fail(1, 'ann', '2001:db8:1:3::1');
  await fail(1, 'ann', '::1');
  expect(waits).toEqual([1000]);
});

test('forgets failures after 15 minutes', async () => {
  const { waits, fail, later } = setUp();
  await fail(10);
  waits.length = 0;
  later(901);
  await fail(4);
  expect(waits).toEqual([]);
});

test('runs concurrent attempts one after the other and rejects excess ones with error 30', async () => {
  const { throttle } = setUp();
  const begun: (() => void)[] = [];
  const slow = () => new Promise<string>((resolve) => begun.push(() => resolve('in')));
  const attempts = Array.from({ length: 5 }, () =>
    throttle.attempt({ username: 'ann', address: HERE, device: null }, slow),
  );
  await expect(
    throttle.attempt({ username: 'ann', address: HERE, device: null }, slow),
  ).rejects.toMatchObject({ code: 30 });
  for (let i = 0; i < 5; i += 1) {
    await new Promise(setImmediate);
    expect(begun).toHaveLength(i + 1);
    begun[i]!();
  }
  expect(await Promise.all(attempts)).toEqual(Array.from({ length: 5 }, () => 'in'));
});

test('does not count a directory outage as a failed attempt', async () => {
  const { waits, throttle } = setUp();
  for (let i = 0; i < 10; i += 1) {
    const down = () => Promise.reject(errors.ldapFailed());
    await expect(
      throttle.attempt({ username: 'ann', address: HERE, device: null }, down),
    ).rejects.toMatchObject({ code: 63 });
  }
  expect(waits).toEqual([]);
});

describe('M5: guessing across names and networks', () => {
  test('delays one password tried for many names from one network', async () => {
    const { waits, fail } = setUp();
    for (let i = 0; i < 40; i += 1) await fail(1, `name${i}`);
    expect(waits).toEqual([]);
    for (let i = 40; i < 44; i += 1) await fail(1, `name${i}`, i % 2 ? HERE : '::ffff:1');
    await fail(1, 'elsewhere', '192.0.2.9');
    expect(waits).toEqual([1000, 2000]);
  });

  test('delays one name guessed from many networks', async () => {
    const { waits, fail } = setUp();
    for (let i = 0; i < 42; i += 1) await fail(1, 'ann', `192.0.2.${i}`);
    expect(waits).toEqual([1000, 2000]);
  });

  test('delays many names guessed from the networks of one IPv6 site', async () => {
    const { waits, fail } = setUp();
    for (let i = 0; i < 202; i += 1) await fail(1, `name${i}`, `2001:db8:1:${i.toString(16)}::1`);
    await fail(1, 'elsewhere', '2001:db8:2:1::1');
    expect(waits).toEqual([1000, 2000]);
  });

  test('delays many names guessed from many networks in total', async () => {
    const { waits, fail } = setUp();
    for (let i = 0; i < 1002; i += 1) await fail(1, `name${i}`, `10.1.${i >> 8}.${i & 255}`);
    expect(waits).toEqual([100, 100]);
  });

  test('signing in to another account does not reset the failures of the network', async () => {
    const { waits, fail, throttle } = setUp();
    for (let i = 0; i < 40; i += 1) {
      await fail(1, `name${i}`);
      await throttle.attempt({ username: 'mallory', address: HERE, device: null }, right);
    }
    waits.length = 0;
    await fail(1, 'name40');
    expect(waits).toEqual([1000]);
  });

  test('attackers who fill the queue do not lock the owner out of a known browser', async () => {
    const { waits, fail, throttle } = setUp();
    await fail(45);
    const ends: (() => void)[] = [];
    const slow = () => new Promise<string>((resolve) => ends.push(() => resolve('in')));
    const filling = Array.from({ length: 5 }, () =>
      throttle.attempt({ username: 'ann', address: HERE, device: null }, slow),
    );
    await expect(
      throttle.attempt({ username: 'ann', address: HERE, device: null }, right),
    ).rejects.toMatchObject({ code: 30, status: 429, retryAfter: 60 });
    waits.length = 0;
    expect(await throttle.attempt({ username: 'ann', address: HERE, device: 'hers' }, right)).toBe('in');
    expect(waits).toEqual([]);
    while (ends.length < 5) {
      await new Promise(setImmediate);
      for (const end of ends) end();
    }
    await Promise.all(filling);
  });

  test('limits a known browser too and then treats it as unknown', async () => {
    const { waits, fail } = setUp();
    await fail(20, 'ann', HERE, 'stolen');
    expect(waits.slice(0, 2)).toEqual([1000, 2000]);
    waits.length = 0;
    await fail(5, 'ann', HERE, 'stolen');
    expect(waits).toEqual([1000]);
    await fail(1, 'ann', HERE);
    expect(waits).toEqual([1000, 2000]);
  });

  test('limits concurrent checks of unknown clients (429 beyond), but not of known browsers', async () => {
    const { throttle } = setUp();
    let end!: () => void;
    const gate = new Promise<string>((resolve) => (end = () => resolve('in')));
    let checked = 0;
    const check = () => {
      checked += 1;
      return gate;
    };
    const attempt = (i: number) =>
      throttle.attempt({ username: `name${i}`, address: `10.0.0.${i}`, device: null }, check);
    const inside = Array.from({ length: 48 }, (_, i) => attempt(i));
    await new Promise(setImmediate);
    await expect(attempt(99)).rejects.toMatchObject({ status: 429, retryAfter: 60 });
    expect(checked).toBe(6);
    const owner = { username: 'owner', address: '10.0.0.99', device: 'known' };
    expect(await throttle.attempt(owner, async () => 'at once')).toBe('at once');
    end();
    expect(await Promise.all(inside)).toHaveLength(48);
  });
});

test.each([
  ['known browsers', 10, (i: number) => ({ address: HERE, device: `device${i}` })],
  ['networks', 20, (i: number) => ({ address: `10.0.0.${i}`, device: null })],
])('many %s of one account leave room for others, though its password is right', async (_of, most, from) => {
  const { throttle } = setUp();
  const gate = Promise.withResolvers<string>();
  const attempt = (i: number) => throttle.attempt({ username: 'ann', ...from(i) }, () => gate.promise);
  const inside = Array.from({ length: most }, (_, i) => attempt(i));
  await expect(attempt(99)).rejects.toMatchObject({ status: 429, retryAfter: 60 });
  const other = throttle.attempt({ username: 'bob', ...from(100) }, () => gate.promise);
  gate.resolve('in');
  expect(await Promise.all([...inside, other])).toHaveLength(most + 1);
  expect(await attempt(99)).toBe('in');
});

test('attempts that are refused at once forget no failures', async () => {
  const { waits, fail, throttle } = setUp();
  await fail(40);
  const over = Promise.withResolvers<never>();
  const attempt = (username: string, check: () => Promise<never>) =>
    throttle.attempt({ username, address: HERE, device: null }, check).catch(() => undefined);
  const slow = Array.from({ length: 20 }, (_, i) => attempt(`name${i}`, () => over.promise));
  for (let i = 0; i < 20_000; i += 1) await attempt(`other${i}`, wrong);
  over.reject(errors.invalidCredentials());
  await Promise.all(slow);
  waits.length = 0;
  await fail(1, 'ann', '192.0.2.2');
  expect(waits).toEqual([1000]);
});
