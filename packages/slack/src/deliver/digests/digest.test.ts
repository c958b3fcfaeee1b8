import type { UsageSummary } from '@pressroom/api/usage';
import { misfit, many, nasty, summary, url } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXTS } from '../../texts/languages.ts';
import { digestMessage } from './digest.ts';

const LANGUAGES = Object.values(TEXTS);

test.each(LANGUAGES)('$code: a digest fits Slack’s limits and mentions nobody', (texts) => {
  const item = fc.record({ guid: nasty, title: nasty, url: fc.option(url), summary });
  expect(misfit(many(item, 100).map((items) => digestMessage(items, 'week', texts)))).toBeNull();
});

test('a digest counts sessions as such', () => {
  const use = { visits: 0, sessions: 5, total: 5, unique_users: 2, trend: null } as UsageSummary;
  const item = { guid: 'g', title: 'Dashboard', url: null, summary: use };
  const [, section] = digestMessage([item], 'week', TEXTS.en).blocks;
  expect(section).toMatchObject({ text: { text: 'Dashboard: 5 visits and sessions by 2 people' } });
});
