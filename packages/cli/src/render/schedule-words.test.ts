// Covers the descriptions of schedules.
import { expect, test } from 'vitest';
import { cronOfWords } from './schedule-words.ts';

test.each([
  ['weekdays at 6:00', '0 6 * * 1-5'],
  ['Every  weekday at 06:30', '30 6 * * 1-5'],
  ['daily at 23:59', '59 23 * * *'],
  ['every day at 0:05', '5 0 * * *'],
  ['mondays at 6:00', '0 6 * * 1'],
  ['every thursday and Monday at 17:30', '30 17 * * 1,4'],
  ['mon, wed, fri at 6:00', '0 6 * * 1,3,5'],
  ['sunday at 6:00', '0 6 * * 0'],
  ['day 15 at 6:00', '0 6 15 * *'],
  ['the 1st of the month at 6:00', '0 6 1 * *'],
  ['every minute', '* * * * *'],
  ['every 15 minutes', '*/15 * * * *'],
  ['every hour', '0 * * * *'],
  ['every 6 hours', '0 */6 * * *'],
  ['0 6 * * 1-5', '0 6 * * 1-5'],
  ['0 6 * * MON', '0 6 * * MON'],
  ['30 0 6 * * *', '30 0 6 * * *'],
  ['@daily', '@daily'],
])('converts %s to %s', (words, cron) => {
  expect(cronOfWords(words)).toBe(cron);
});

test.each([
  '',
  'monday',
  'someday at 6:00',
  'weekdays at 24:00',
  'weekdays at 6:60',
  'day 32 at 6:00',
  'day 0 at 6:00',
])('rejects "%s" with examples', (words) => {
  expect(() => cronOfWords(words)).toThrow('Not a schedule');
});

test.each(['every 7 minutes', 'every 5 hours', 'every 0 minutes', 'every 60 minutes'])(
  'rejects %s, which does not repeat evenly',
  (words) => {
    expect(() => cronOfWords(words)).toThrow('cannot repeat');
  },
);
