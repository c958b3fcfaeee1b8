// Covers the list of time zones: offsets follow clock changes, and schedules accept every name.
import { expect, it } from 'vitest';
import { nextTime } from './next-time.ts';
import { timeZonesAt } from './time-zones.ts';

const at = (time: string) => Date.parse(time) * 1000;

it('lists time zones sorted by name, each once, with UTC', () => {
  const names = timeZonesAt(at('2026-01-15T12:00:00Z')).map(({ timezone }) => timezone);
  expect(names).toEqual([...new Set(names)].sort());
  expect(names.length).toBeGreaterThan(300);
  expect(names).toContain('UTC');
});

it.each([
  ['2026-01-15T12:00:00Z', 'UTC', '+00:00'],
  ['2026-01-15T12:00:00Z', 'Etc/UTC', '+00:00'],
  ['2026-01-15T12:00:00Z', 'US/Eastern', '-05:00'],
  ['2026-01-15T12:00:00Z', 'Europe/Zurich', '+01:00'],
  ['2026-07-15T12:00:00Z', 'Europe/Zurich', '+02:00'],
  ['2026-01-15T12:00:00Z', 'America/St_Johns', '-03:30'],
  ['2026-01-15T12:00:00Z', 'Pacific/Chatham', '+13:45'],
  ['2026-01-15T12:00:00Z', 'Asia/Kolkata', '+05:30'],
  ['2026-01-15T12:00:00Z', 'Asia/Kathmandu', '+05:45'],
  ['2026-07-15T12:00:00Z', 'Europe/Kyiv', '+03:00'],
])('at %s lists %s with the offset %s', (time, timezone, offset) => {
  expect(timeZonesAt(at(time))).toContainEqual({ timezone, offset });
});

it('an offset changes in the minute of the clock change', () => {
  const offsetAt = (time: string) =>
    timeZonesAt(at(time)).find(({ timezone }) => timezone === 'Australia/Lord_Howe')?.offset;
  expect(offsetAt('2026-10-03T15:29:59Z')).toBe('+10:30');
  expect(offsetAt('2026-10-03T15:30:00Z')).toBe('+11:00');
});

it('a schedule accepts every listed time zone', () => {
  const now = at('2026-01-15T12:00:00Z');
  const refused = timeZonesAt(now).filter(({ timezone }) => nextTime('0 6 * * *', timezone, now) === null);
  expect(refused).toEqual([]);
});
