import { misfit, many, nasty } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXTS } from '../../texts/languages.ts';
import { subscriptionsMessage } from './blocks.ts';

const LANGUAGES = Object.values(TEXTS);

test.each(LANGUAGES)('$code: a list of subscriptions fits Slack’s limits and mentions nobody', (texts) => {
  const subscriptions = many(
    fc.record({
      guid: fc.uuid(),
      title: nasty,
      filters: fc.array(nasty),
      quiet: fc.option(nasty),
      by: nasty,
      zone: nasty,
    }),
  );
  expect(misfit(subscriptions.map((found) => subscriptionsMessage(found, '/pressroom', texts)))).toBeNull();
});
