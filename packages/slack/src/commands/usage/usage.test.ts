import { misfit, nasty, summary } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXTS } from '../../texts/languages.ts';
import { chartPoints, progressMessage, usageMessage, type UsageView } from './blocks.ts';

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

test('content that nobody used has no table of zeros', () => {
  const day = { key: '2026-03-04', visits: 0, sessions: 0 };
  const none = {
    visits: 0,
    sessions: 0,
    total: 0,
    unique_users: 0,
    anonymous: 0,
    session_time: 0,
    trend: null,
  };
  const summary = { ...none, by: 'day', series: [day], contents: [] } as unknown as UsageView['summary'];
  const view = { about: 'Sales', last: '30d', summary, names: new Map(), picture: null, native: true };
  const types = usageMessage(view, 'usage sales-report', TEXTS.en).blocks.map(({ type }) => type);
  expect(types).toEqual(['section', 'section', 'actions']);
});
