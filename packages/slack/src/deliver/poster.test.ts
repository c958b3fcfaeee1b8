import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { createPoster } from './poster.ts';

const clock = { now: () => 0, random: () => 0.5, sleep: () => new Promise<never>(() => undefined) };

test('leaves no listener after a post', async () => {
  const stop = new AbortController();
  const poster = createPoster(clock, stop.signal);
  for (let i = 0; i < 5; i += 1) expect(await poster.turn('C1', 0, async () => i)).toBe(i);
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
});

test('rejects waiting posts when the bot stops', async () => {
  const stop = new AbortController();
  const poster = createPoster(clock, stop.signal);
  const posts = Array.from({ length: 9 }, () => poster.turn('C1', 0, async () => undefined));
  await Promise.all(posts.slice(0, 8));
  stop.abort(new Error('the bot is stopping'));
  await expect(posts[8]).rejects.toThrow('stopping');
});
