import { pino } from 'pino';
import { expect, test } from 'vitest';
import { retryCall } from './retry-call.ts';
import { SlackFailure } from './slack-failure.ts';

/** Returns the milliseconds slept between attempts after this failure, for a fixed random number. */
async function sleptAfter(failure: SlackFailure, random: number): Promise<number> {
  const slept: number[] = [];
  const clock = { now: () => 0, random: () => random, sleep: async (ms: number) => void slept.push(ms) };
  const failures = [failure];
  const isDone = await retryCall(
    { clock, signal: new AbortController().signal, log: pino({ level: 'silent' }) },
    false,
    async () => {
      const next = failures.shift();
      if (next) throw next;
    },
  );
  expect(isDone).toBe(true);
  return slept[0]!;
}

test.each([1, 60, 600])('waits the %i seconds that a busy Slack asks for', async (seconds) => {
  const busy = new SlackFailure('busy', 'ratelimited', seconds * 1000);
  expect(await sleptAfter(busy, 0)).toBe(seconds * 1000);
  expect(await sleptAfter(busy, 1)).toBe(seconds * 1500);
});

test('retries soon after a failure', async () => {
  expect(await sleptAfter(new SlackFailure('down', 'HTTP 500'), 0.5)).toBe(1000);
});
