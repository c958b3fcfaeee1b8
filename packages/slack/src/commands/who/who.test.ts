import fc from 'fast-check';
import { test } from 'vitest';
import { content, expectFits, many, nasty } from '../../blocks/generated.ts';
import { whoMessage } from './blocks.ts';

test('the access to content fits, and mentions nobody', () => {
  const access = fc.record({
    content,
    owner: fc.option(nasty),
    people: many(fc.record({ name: nasty, access: nasty })),
    complete: fc.boolean(),
  });
  expectFits(fc.tuple(access, nasty).map(([view, share]) => whoMessage(view, share)));
});
