import { misfit, many, nasty, time } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXTS } from '../../texts/languages.ts';
import { deploysMessage } from './blocks.ts';

const LANGUAGES = Object.values(TEXTS);

test.each(LANGUAGES)('$code: a list of deploys fits Slack’s limits and mentions nobody', (texts) => {
  const entries = many(
    fc.record({
      time,
      who: nasty,
      what: nasty,
      state: fc.constantFrom('failed' as const, null),
      active: fc.option(fc.boolean()),
    }),
  );
  expect(
    misfit(
      fc
        .tuple(nasty, entries, nasty)
        .map(([about, found, share]) =>
          deploysMessage({ about, since: '7d', entries: found, cut: ['Cut.'] }, share, texts),
        ),
    ),
  ).toBeNull();
});
