// Covers schedules across clock changes: no run is skipped or repeated.
import { expect, it } from 'vitest';
import { nextTime } from './next-time.ts';

function times(cron: string, timezone: string, after: string, count: number): string[] {
  const found: string[] = [];
  let time = Date.parse(after) * 1000;
  while (found.length < count) {
    time = nextTime(cron, timezone, time)!;
    found.push(new Date(time / 1000).toISOString().slice(5, 16));
  }
  return found;
}

it('runs a time that the clock skips when it resumes', () => {
  const found = times('30 2 * * *', 'Europe/Zurich', '2026-03-28T00:00:00Z', 3);
  expect(found).toEqual(['03-28T01:30', '03-29T01:00', '03-30T00:30']);
});

it('runs a time that the clock shows twice once', () => {
  const found = times('30 2 * * *', 'Europe/Zurich', '2026-10-24T00:00:00Z', 3);
  expect(found).toEqual(['10-24T00:30', '10-25T00:30', '10-26T01:30']);
});

it.each([
  ['30 2,14 * * *', '2026-03-28T20:00:00Z', ['03-29T01:00', '03-29T12:30', '03-30T00:30']],
  ['30 2,14 * * *', '2026-10-24T20:00:00Z', ['10-25T00:30', '10-25T13:30', '10-26T01:30']],
  ['0 0-3 * * *', '2026-10-24T20:00:00Z', ['10-24T22:00', '10-24T23:00', '10-25T00:00', '10-25T02:00']],
])('runs each time of the list %s once after %s', (cron, after, expected) => {
  expect(times(cron, 'Europe/Zurich', after, expected.length)).toEqual(expected);
});

it('runs every half hour also on the day of a clock change', () => {
  const found = times('*/30 * * * *', 'Europe/Zurich', '2026-10-24T23:45:00Z', 5);
  expect(found).toEqual(['10-25T00:00', '10-25T00:30', '10-25T01:00', '10-25T01:30', '10-25T02:00']);
});

it('names an unknown time zone', () => {
  expect(() => times('0 6 * * *', 'Europe/Zurik', '2026-10-24T00:00:00Z', 1)).toThrow(
    'there is no time zone Europe/Zurik: use one such as Europe/Zurich or UTC',
  );
});

it.each([
  ['0 6 32 * *', 'the schedule 0 6 32 * * is not valid: Invalid value for day: 32'],
  ['0 6 * 13 *', 'the schedule 0 6 * 13 * is not valid: Invalid value for month: 13'],
  ['61 6 * * *', 'the schedule 61 6 * * * is not valid: Invalid value for minute: 61'],
])('says of %s what was typed', (cron, message) => {
  expect(() => times(cron, 'UTC', '2026-10-24T00:00:00Z', 1)).toThrow(message);
});
