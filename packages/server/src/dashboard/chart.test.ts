// Covers the text alternative of the usage chart.
import { expect, test } from 'vitest';
import { usageChart } from './chart.ts';

const captionOf = (visits: readonly number[]) => {
  const days = visits.map((count, i) => ({ date: `2026-11-0${i + 1}`, visits: count, sessions: 0 }));
  return /aria-label="([^"]*)"/.exec(usageChart(days).toString())?.[1];
};

test('omits the numbers from the caption when there are no visits', () => {
  expect(captionOf([0, 0])).toBe('Nobody visited from 2026-11-01 to 2026-11-02');
  expect(captionOf([1, 3])).toBe(
    'Visits and sessions from 2026-11-01 to 2026-11-02: 4, on the busiest day 3',
  );
});

test('marks the events of a day once and ignores events outside the range', () => {
  const days = [1, 2].map((visits, i) => ({ date: `2026-11-0${i + 1}`, visits, sessions: 0 }));
  const marks = [
    { date: '2026-11-02', label: 'bundle 4' },
    { date: '2026-11-02', label: 'bundle 5' },
    { date: '2026-10-02', label: 'bundle 3' },
  ];
  const chart = usageChart(days, marks).toString();
  expect(chart.match(/class="mark"/g)).toHaveLength(1);
  expect(chart).toContain('2026-11-02: bundle 4, bundle 5');
  expect(usageChart(days).toString()).not.toContain('New version');
});
