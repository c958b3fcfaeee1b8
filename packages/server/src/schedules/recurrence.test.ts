// Covers schedules of older clients as cron patterns: converted without loss, or refused.
import { expect, test } from 'vitest';
import { nextTime } from './next-time.ts';
import { cronOf, recurrenceOf } from './recurrence.ts';

/** Wednesday, 08:20 in Zurich (microseconds). */
const START = Date.parse('2026-03-04T07:20:00Z') * 1000;
const ZURICH = 'Europe/Zurich';

test.each([
  ['minute', { N: 15 }, '5-59/15 * * * *'],
  ['minute', { N: 1 }, '* * * * *'],
  ['hour', { N: 2 }, '20 */2 * * *'],
  ['hour', { N: 3 }, '20 2-23/3 * * *'],
  ['hour', { N: 1 }, '20 * * * *'],
  ['day', { N: 1 }, '20 8 * * *'],
  ['weekday', {}, '20 8 * * 1-5'],
  ['dayofweek', { Days: [5, 1, 5] }, '20 8 * * 1,5'],
  ['semimonth', { First: true }, '20 8 1,15 * *'],
  ['semimonth', { First: false }, '20 8 14,L * *'],
  ['dayofmonth', { N: 3, Day: 4 }, '20 8 4 3-12/3 *'],
  ['dayofmonth', { N: 1, Day: 31 }, '20 8 31 * *'],
  ['dayweekofmonth', { N: 1, Day: 1, Week: 4 }, '20 8 * * 1#4'],
  ['year', { N: 1 }, '20 8 4 3 *'],
])('converts %s %j to %s and back', (type, rule, cron) => {
  expect(cronOf({ type, rule }, START, ZURICH)).toBe(cron);
  expect(nextTime(cron, ZURICH, START)).not.toBeNull();
  const read = recurrenceOf(cron);
  expect(read.type).toBe(type);
  expect(cronOf(read, START, ZURICH)).toBe(cron);
});

test('converts a weekly schedule to the weekday of its start', () => {
  expect(cronOf({ type: 'week', rule: { N: 1 } }, START, ZURICH)).toBe('20 8 * * 3');
});

test.each([
  ['minute', { N: 7 }],
  ['hour', { N: 5 }],
  ['day', { N: 3 }],
  ['week', { N: 2 }],
  ['year', { N: 2 }],
  ['dayofmonth', { N: 5, Day: 1 }],
  ['dayofmonth', { N: 1 }],
  ['dayofmonth', { N: 1, Day: 32 }],
  ['dayweekofmonth', { N: 1, Day: 1, Week: 0 }],
  ['dayofweek', { Days: [] }],
  ['dayofweek', { Days: ['1'] }],
  ['minute', { N: '*' }],
  ['fortnight', {}],
])('rejects %s %j with error 25', (type, rule) => {
  expect(() => cronOf({ type, rule }, START, ZURICH)).toThrow(expect.objectContaining({ code: 25 }));
});

test('rejects an unknown time zone with error 25', () => {
  expect(() => cronOf({ type: 'weekday', rule: {} }, START, 'Mars/Base')).toThrow(
    expect.objectContaining({ code: 25 }),
  );
});

test('keeps a pattern that has no equivalent as cron', () => {
  expect(recurrenceOf('0 6 * * 1-3')).toEqual({ type: 'cron', rule: { Cron: '0 6 * * 1-3' } });
});
