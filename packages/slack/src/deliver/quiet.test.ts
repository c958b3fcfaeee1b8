import { expect, test } from 'vitest';
import { onlyFailures } from './channels.ts';
import { digestTime, isQuiet } from './quiet.ts';

const at = (hour: number) => Date.parse(`2026-03-04T${String(hour).padStart(2, '0')}:30:00Z`);

test('quiet hours may go past midnight', () => {
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

test('in quiet hours a channel subscribed to deploys gets failures only', () => {
  const wants = (filters: string, hour: number) => onlyFailures({ filters, quiet: '22-7' }, at(hour));
  expect([wants('deploys', 12), wants('deploys', 23)]).toEqual([0, 1]);
  expect([wants('failures', 12), wants('usage-weekly', 12)]).toEqual([1, null]);
});

test('digests are due on Monday at eight, and until then those of the week before', () => {
  const monday = '2026-03-02T08:00:00.000Z';
  const due = (time: string) => new Date(digestTime(Date.parse(time))).toISOString();
  for (const time of [monday, '2026-03-04T00:00:00Z', '2026-03-09T07:59:59Z']) expect(due(time)).toBe(monday);
  expect(due('2026-03-02T07:59:59Z')).toBe('2026-02-23T08:00:00.000Z');
});
