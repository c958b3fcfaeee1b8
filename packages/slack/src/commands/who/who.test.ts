import { content, misfit, many, nasty } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXTS } from '../../texts/languages.ts';
import { whoMessage } from './blocks.ts';

const LANGUAGES = Object.values(TEXTS);

test.each(LANGUAGES)('$code: the access to content fits Slack’s limits and mentions nobody', (texts) => {
  const access = fc.record({
    content,
    owner: fc.option(nasty),
    people: many(fc.record({ name: nasty, access: nasty })),
    more: fc.nat(),
    complete: fc.boolean(),
  });
  expect(misfit(fc.tuple(access, nasty).map(([view, share]) => whoMessage(view, share, texts)))).toBeNull();
});
