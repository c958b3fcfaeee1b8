import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { createPoster } from './poster.ts';
import { SlackFailure } from './slack-failure.ts';

const clock = { now: () => 0, random: () => 0.5, sleep: () => new Promise<never>(() => undefined) };

test('leaves no listener after a post', async () => {
  const stop = new AbortController();
  const poster = createPoster(clock, stop.signal);
  for (let i = 0; i < 5; i += 1) expect(await poster.turn('C1', 0, i, async () => i)).toBe(i);
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
});

test('rejects waiting posts when the bot stops', async () => {
  const stop = new AbortController();
  const poster = createPoster(clock, stop.signal);
  const posts = Array.from({ length: 9 }, () => poster.turn('C1', 0, 0, async () => undefined));
  await Promise.all(posts.slice(0, 8));
  stop.abort(new Error('the bot is stopping'));
  await expect(posts[8]).rejects.toThrow('stopping');
});

test('posts in order, although earlier ones fail while Slack is down', async () => {
  let now = 0;
  const moving = {
    ...clock,
    now: () => now,
    async sleep(milliseconds: number) {
      now += milliseconds;
    },
  };
  const poster = createPoster(moving, new AbortController().signal);
  const posted: number[] = [];
  let failures = 3;
  const post = async (order: number): Promise<void> => {
    try {
      await poster.turn('C1', 0, order, async () => {
        if (failures-- > 0) throw new SlackFailure('down', 'HTTP 503');
        posted.push(order);
      });
    } catch {
      await post(order);
    }
  };
  await Promise.all([1, 2, 3, 4, 5].map(post));
  expect(posted).toEqual([1, 2, 3, 4, 5]);
  // With growing pauses.
  expect(now).toBeGreaterThanOrEqual(7000);
});

test('a clock that was set back does not stop the posts of a channel', async () => {
  let now = 7_200_000;
  const slept: number[] = [];
  const moving = {
    ...clock,
    now: () => now,
    async sleep(milliseconds: number) {
      slept.push(milliseconds);
      now += milliseconds;
    },
  };
  const poster = createPoster(moving, new AbortController().signal);
  await poster.turn('C1', 0, 0, async () => undefined);
  now -= 3_600_000;
  await poster.turn('C1', 0, 1, async () => undefined);
  const down = poster.turn('C1', 0, 2, () => Promise.reject(new SlackFailure('down', 'HTTP 503')));
  await expect(down).rejects.toThrow('503');
  now -= 3_600_000;
  await poster.turn('C1', 0, 3, async () => undefined);
  expect(Math.max(0, ...slept)).toBeLessThan(60_000);
});
