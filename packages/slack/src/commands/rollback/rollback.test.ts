import fc from 'fast-check';
import { test } from 'vitest';
import { expectFits, nasty } from '../../blocks/generated.ts';
import { rollbackMessage, rollbackModal } from './blocks.ts';

const question = fc.record({
  key: fc.uuid(),
  title: nasty,
  from: fc.option(nasty),
  to: fc.record({ id: nasty, created_time: nasty }),
});

test('the confirmation as a message fits, and mentions nobody', () => {
  expectFits(question.map(rollbackMessage));
});

test('the confirmation as a modal fits, and mentions nobody', () => {
  expectFits(
    fc.tuple(question, nasty).map(([asked, metadata]) => rollbackModal(asked, metadata)),
    'modal',
  );
});
