import { misfit, many, nasty, time } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXTS } from '../../texts/languages.ts';
import { auditMessage } from './blocks.ts';

const LANGUAGES = Object.values(TEXTS);

test.each(LANGUAGES)('$code: the audit log fits Slack’s limits and mentions nobody', (texts) => {
  const entries = many(
    fc.record({
      id: nasty,
      time,
      user_id: nasty,
      user_description: nasty,
      action: nasty,
      event_description: nasty,
    }),
  );
  expect(
    misfit(
      fc
        .tuple(nasty, entries)
        .map(([user, found]) =>
          auditMessage({ last: '7d', user, entries: found, more: true }, 'audit', texts),
        ),
    ),
  ).toBeNull();
});
