import { misfit, many, nasty, time } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXTS } from '../../texts/languages.ts';
import { dryRunMessage } from './blocks.ts';

const LANGUAGES = Object.values(TEXTS);

test.each(LANGUAGES)('$code: a dry run fits Slack’s limits and mentions nobody', (texts) => {
  const entries = many(fc.record({ time, text: nasty, held: fc.option(nasty) }));
  expect(
    misfit(
      fc.tuple(nasty, entries).map(([title, found]) => dryRunMessage(title, ['failures'], found, texts)),
    ),
  ).toBeNull();
});
