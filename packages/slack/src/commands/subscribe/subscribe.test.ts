import fc from 'fast-check';
import { expect, test } from 'vitest';
import { misfit, many, nasty, time } from '@pressroom/testkit/slack';
import { dryRunMessage } from './blocks.ts';

test('a dry run fits, and mentions nobody', () => {
  const entries = many(fc.record({ time, text: nasty, held: fc.option(nasty) }));
  expect(
    misfit(fc.tuple(nasty, entries).map(([title, found]) => dryRunMessage(title, ['failures'], found))),
  ).toBeNull();
});
