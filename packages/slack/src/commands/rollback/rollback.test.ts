import fc from 'fast-check';
import { expect, test } from 'vitest';
import { many, misfit, nasty } from '@pressroom/testkit/slack';
import { rollbackMessage, rollbackModal } from './blocks.ts';

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

test('the confirmation as a message fits, and mentions nobody', () => {
  expect(misfit(question.map(rollbackMessage))).toBeNull();
});

test('the confirmation as a modal fits, and mentions nobody', () => {
  expect(
    misfit(
      fc.tuple(question, nasty).map(([asked, metadata]) => rollbackModal(asked, metadata)),
      'modal',
    ),
  ).toBeNull();
});
