import { content, misfit, many, nasty, user } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXTS } from '../../texts/languages.ts';
import { peopleMessage, personMessage } from './blocks.ts';

const LANGUAGES = Object.values(TEXTS);

test.each(LANGUAGES)('$code: an account fits Slack’s limits and mentions nobody', (texts) => {
  const person = fc.record({
    user,
    groups: fc.option(many(fc.record({ guid: fc.uuid(), name: nasty, owner_guid: fc.constant(null) }))),
    owned: many(content),
    mayLock: fc.boolean(),
  });
  expect(
    misfit(fc.tuple(person, nasty).map(([view, share]) => personMessage(view, share, texts))),
  ).toBeNull();
});

test.each(LANGUAGES)('$code: a list of accounts fits Slack’s limits and mentions nobody', (texts) => {
  expect(
    misfit(
      fc
        .record({ words: nasty, found: many(user), total: fc.nat() })
        .map((people) => peopleMessage(people, texts)),
    ),
  ).toBeNull();
});
