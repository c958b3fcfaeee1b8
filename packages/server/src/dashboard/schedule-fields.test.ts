import { expect, test } from 'vitest';
import { chosenOf, cronOf } from './schedule-fields.ts';

test.each([
  ['*/15 * * * *', { often: '*/15 * * * *' }],
  ['*/10 * * * *', { often: '*/10 * * * *' }],
  ['* * * * *', { often: '* * * * *' }],
  ['0 */8 * * *', { often: '0 */8 * * *' }],
  ['0 * * * *', { often: '0 * * * *' }],
  ['30 6 * * *', { often: 'day', at: '06:30' }],
  ['0 6 * * 1-5', { often: 'weekdays', at: '06:00' }],
  ['5 23 * * 1,3,0', { often: 'week', at: '23:05', days: ['1', '3', '0'] }],
  ['0 6 31 * *', { often: 'month', at: '06:00', dayOfMonth: '31' }],
])('maps %s to form fields and back', (cron, words) => {
  const chosen = chosenOf(cron);
  expect(chosen).toMatchObject(words);
  expect(cronOf(chosen)).toBe(cron);
});

test.each([
  '*/7 * * * *',
  '0 6 1 * 1',
  '0 6 * 1 *',
  '61 6 * * *',
  '0 6,18 * * *',
  '0 6 * * MON',
  '0 0 6 * * *',
  '@daily',
])('keeps %s as a cron pattern', (cron) => {
  const chosen = chosenOf(cron);
  expect(chosen).toMatchObject({ often: 'cron', cron });
  expect(cronOf(chosen)).toBe(cron);
});

test('accepts no schedule, and rejects invalid times and days', () => {
  const none = chosenOf(null);
  expect(cronOf(none)).toBeNull();
  expect(() => cronOf({ ...none, often: 'day', at: '25:00' })).toThrow('25:00 is not one');
  expect(() => cronOf({ ...none, often: 'week' })).toThrow('no day of the week');
  for (const dayOfMonth of ['0', '32', '1.5', ''])
    expect(() => cronOf({ ...none, often: 'month', dayOfMonth })).toThrow('no day of the month');
  expect(() => cronOf({ ...none, often: 'sometimes' })).toThrow('schedule');
});
