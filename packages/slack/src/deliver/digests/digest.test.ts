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
