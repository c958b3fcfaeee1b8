// What the chart of usage says in words.
import { expect, test } from 'vitest';
import { usageChart } from './chart.ts';

const captionOf = (visits: readonly number[]) => {
  const days = visits.map((count, i) => ({ date: `2026-11-0${i + 1}`, visits: count, sessions: 0 }));
  return /aria-label="([^"]*)"/.exec(usageChart(days).toString())?.[1];
};

test('of days without a visit, none is the busiest', () => {
  expect(captionOf([0, 0])).toBe('Nobody visited from 2026-11-01 to 2026-11-02');
  expect(captionOf([1, 3])).toBe('4 visits and sessions from 2026-11-01 to 2026-11-02, 3 on the busiest day');
});
