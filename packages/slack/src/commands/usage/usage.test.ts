import { misfit, nasty, summary } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXTS } from '../../texts/languages.ts';
import { chartPoints, progressMessage, usageMessage } from './blocks.ts';

const LANGUAGES = Object.values(TEXTS);

test.each(LANGUAGES)('$code: usage fits Slack’s limits and mentions nobody', (texts) => {
  const usage = fc.record({
    about: nasty,
    last: nasty,
    summary,
    names: nasty.map((name) => new Map([['x', name]])),
    picture: fc.option(fc.constant('F123')),
    native: fc.boolean(),
  });
  expect(misfit(fc.tuple(usage, nasty).map(([view, share]) => usageMessage(view, share, texts)))).toBeNull();
});

test('the chart covers the whole period and combines several days when there are many', () => {
  const series = Array.from({ length: 90 }, (_, i) => ({ key: `day ${i}`, visits: 1, sessions: 2 }));
  const { points, together } = chartPoints(
    { summary: { by: 'day', series } as never, names: new Map() },
    TEXTS.en,
  );
  expect(together).toBe(5);
  expect(points).toHaveLength(18);
  expect(points[0]).toEqual({ label: 'day 0', visits: 5, sessions: 10 });
  expect(points.reduce((sum, { visits }) => sum + visits, 0)).toBe(90);
});

test.each(LANGUAGES)('$code: the progress of usage fits Slack’s limits and mentions nobody', (texts) => {
  expect(misfit(nasty.map((about) => progressMessage(about, 0.5, 1000, texts)))).toBeNull();
});
