// Covers the reminder while the server has no administrator (H4): the log repeats it, but not forever.
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startSetUpReminder } from './set-up-reminder.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function listen(link: () => string | null) {
  const lines: { link: string; level: number }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { lines, reminder: startSetUpReminder({ link: async () => link(), log }) };
}

test('H4: warns with the setup link each minute for an hour, then each hour', async () => {
  const { lines, reminder } = listen(() => 'http://here/__setup__?token=x');
  await vi.advanceTimersByTimeAsync(60 * 60_000);
  expect(lines).toHaveLength(60);
  expect(lines[0]).toMatchObject({ level: 40, link: 'http://here/__setup__?token=x' });
  await vi.advanceTimersByTimeAsync(5 * 60 * 60_000);
  expect(lines).toHaveLength(65);
  reminder[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(60 * 60_000);
  expect(lines).toHaveLength(65);
});

test('stops for good once an administrator exists', async () => {
  let link: string | null = 'http://here';
  const { lines } = listen(() => link);
  await vi.advanceTimersByTimeAsync(2 * 60_000);
  link = null;
  await vi.advanceTimersByTimeAsync(2 * 60_000);
  link = 'http://here';
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(lines).toHaveLength(2);
});
