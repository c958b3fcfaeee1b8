import { expect, test } from 'vitest';
import { onlyFailures } from '../deploys/announce-in-channels.ts';
import { digestTime, isQuiet } from './quiet.ts';

const at = (hour: number) => Date.parse(`2026-03-04T${String(hour).padStart(2, '0')}:30:00Z`);

test('quiet hours may cross midnight', () => {
  expect([21, 22, 23, 0, 6, 7].map((hour) => isQuiet('22-7', at(hour)))).toEqual([
    false,
    true,
    true,
    true,
    true,
    false,
  ]);
  expect([8, 9, 16, 17].map((hour) => isQuiet('9-17', at(hour)))).toEqual([false, true, true, false]);
  expect(isQuiet(null, at(3))).toBe(false);
});

test('a channel subscribed to deploys gets only failures in quiet hours', () => {
  const wants = (filters: string, hour: number) =>
    onlyFailures({ filters, quiet: '22-7', zone: 'UTC' }, at(hour));
  expect([wants('deploys', 12), wants('deploys', 23)]).toEqual([0, 1]);
  expect([wants('failures', 12), wants('usage-weekly', 12)]).toEqual([1, null]);
});

test('weekly digests are due on Monday at eight', () => {
  const monday = '2026-03-02T08:00:00.000Z';
  const plan = { every: 'week', hour: 8, zone: 'UTC' } as const;
  const due = (time: string) => new Date(digestTime(Date.parse(time), plan)).toISOString();
  for (const time of [monday, '2026-03-04T00:00:00Z', '2026-03-09T07:59:59Z']) expect(due(time)).toBe(monday);
  expect(due('2026-03-02T07:59:59Z')).toBe('2026-02-23T08:00:00.000Z');
});

test('quiet hours and digests follow the person’s time zone across clock changes', () => {
  // 22:30 in Berlin, which is 21:30 UTC in winter and 20:30 in summer.
  for (const time of ['2026-01-15T21:30:00Z', '2026-07-15T20:30:00Z'])
    expect(isQuiet('22-7', Date.parse(time), 'Europe/Berlin'), time).toBe(true);
  expect(isQuiet('22-7', Date.parse('2026-07-15T05:30:00Z'), 'Europe/Berlin')).toBe(false);
  const due = (time: string, zone: string, every: 'day' | 'week', hour: number) =>
    new Date(digestTime(Date.parse(time), { every, hour, zone })).toISOString();
  // The clocks go forward on Sunday, 29 March 2026.
  expect(due('2026-03-30T12:00:00Z', 'Europe/Berlin', 'week', 9)).toBe('2026-03-30T07:00:00.000Z');
  expect(due('2026-03-28T12:00:00Z', 'Europe/Berlin', 'day', 9)).toBe('2026-03-28T08:00:00.000Z');
  expect(due('2026-03-28T12:00:00Z', 'Asia/Kathmandu', 'day', 9)).toBe('2026-03-28T03:15:00.000Z');
  expect(due('2026-03-28T12:00:00Z', 'Not/AZone', 'day', 9)).toBe('2026-03-28T09:00:00.000Z');
});

test('clock changes neither repeat nor skip a digest', () => {
  const digests = (from: string, plan: { hour: number; zone: string }) => {
    const begin = Date.parse(from);
    const times = Array.from({ length: 3 * 96 }, (_, i) =>
      digestTime(begin + i * 900_000, { every: 'day', ...plan }),
    );
    return [...new Set(times)].filter((time) => time >= begin).map((time) => new Date(time).toISOString());
  };
  // At 03:00 summer time it is 02:00 again on 25 October 2026.
  expect(digests('2026-10-24T12:00:00Z', { hour: 2, zone: 'Europe/Berlin' })).toEqual([
    '2026-10-25T00:00:00.000Z',
    '2026-10-26T01:00:00.000Z',
    '2026-10-27T01:00:00.000Z',
  ]);
  // 02:00 does not exist on 29 March 2026, nor midnight in Santiago on 6 September 2026.
  expect(digests('2026-03-28T12:00:00Z', { hour: 2, zone: 'Europe/Berlin' })).toEqual([
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:00:00.000Z',
    '2026-03-31T00:00:00.000Z',
  ]);
  expect(digests('2026-09-05T12:00:00Z', { hour: 0, zone: 'America/Santiago' })).toEqual([
    '2026-09-06T04:00:00.000Z',
    '2026-09-07T03:00:00.000Z',
    '2026-09-08T03:00:00.000Z',
  ]);
});
