import fc from 'fast-check';
import { expect, test } from 'vitest';
import { misfit, nasty, summary } from '@pressroom/testkit/slack';
import { progressMessage, usageMessage } from './blocks.ts';

test('usage fits, and mentions nobody', () => {
  const usage = fc.record({
    about: nasty,
    last: nasty,
    summary,
    names: nasty.map((name) => new Map([['x', name]])),
    picture: fc.option(fc.constant('F123')),
    native: fc.boolean(),
  });
  expect(misfit(fc.tuple(usage, nasty).map(([view, share]) => usageMessage(view, share)))).toBeNull();
});

test('its progress fits, and mentions nobody', () => {
  expect(misfit(nasty.map((about) => progressMessage(about, 0.5, 1000)))).toBeNull();
});
