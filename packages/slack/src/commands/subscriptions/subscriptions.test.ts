import fc from 'fast-check';
import { test } from 'vitest';
import { expectFits, many, nasty } from '../../blocks/generated.ts';
import { subscriptionsMessage } from './blocks.ts';

test('a list of subscriptions fits, and mentions nobody', () => {
  const subscriptions = many(
    fc.record({
      guid: fc.uuid(),
      title: nasty,
      filters: fc.array(nasty),
      quiet: fc.option(nasty),
      by: nasty,
    }),
  );
  expectFits(subscriptions.map((found) => subscriptionsMessage(found, '/pressroom')));
});
