import { many, misfit, nasty } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXTS } from '../../texts/languages.ts';
import { rollbackMessage, rollbackModal } from './blocks.ts';

const LANGUAGES = Object.values(TEXTS);

const target = fc.record({
  id: nasty,
  time: nasty,
  state: fc.constantFrom('succeeded' as const, 'failed' as const, null),
});
const question = fc.record({
  key: fc.uuid(),
  title: nasty,
  from: fc.option(nasty),
  to: target,
  others: many(target),
});

test.each(LANGUAGES)(
  '$code: the confirmation as a message fits Slack’s limits and mentions nobody',
  (texts) => {
    expect(misfit(question.map((asked) => rollbackMessage(asked, texts)))).toBeNull();
  },
);

test.each(LANGUAGES)(
  '$code: the confirmation as a modal fits Slack’s limits and mentions nobody',
  (texts) => {
    expect(
      misfit(
        fc.tuple(question, nasty).map(([asked, metadata]) => rollbackModal(asked, metadata, texts)),
        'modal',
      ),
    ).toBeNull();
  },
);
