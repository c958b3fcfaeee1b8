// Covers descriptions of schedules, and their next times.
import { expect, test } from 'vitest';
import { describeSchedule, nextRuns } from './describe.ts';

test.each([
  ['0 6 * * 1-5', 'At 06:00, Monday through Friday (Europe/Zurich)'],
  ['*/15 * * * *', 'Every 15 minutes (Europe/Zurich)'],
  ['30 0 6 * * *', 'At 06:00:30 (Europe/Zurich)'],
  ['nonsense', 'nonsense (Europe/Zurich)'],
])('describes %s in words', (cron, words) => {
  expect(describeSchedule(cron, 'Europe/Zurich')).toBe(words);
});

test('nextRuns keeps the local time across a change to winter time', () => {
  const after = Date.parse('2026-10-23T12:00:00Z') * 1000;
  expect(nextRuns('0 6 * * *', 'Europe/Zurich', after, 3)).toEqual([
    '2026-10-24T04:00:00.000Z',
    '2026-10-25T05:00:00.000Z',
    '2026-10-26T05:00:00.000Z',
  ]);
  expect(nextRuns('0 0 30 2 *', 'UTC', after, 3)).toEqual([]);
  // Stored when there was such a zone: its page must open, to choose another.
  expect(nextRuns('0 6 * * *', 'Mars/Base', after, 3)).toEqual([]);
});
