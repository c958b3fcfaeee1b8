import { misfit, nasty, url } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXTS } from '../../texts/languages.ts';
import { troubleMessage } from './trouble.ts';

const LANGUAGES = Object.values(TEXTS);

test.each(LANGUAGES)(
  '$code: the notice of a crash or failed rendering fits Slack’s limits and mentions nobody',
  (texts) => {
    const trouble = fc.record({
      id: nasty,
      what: fc.constantFrom('crash' as const, 'render' as const),
      content: fc.record({ guid: nasty, title: nasty, url: fc.option(url) }),
      reason: nasty,
      time: fc.nat(2e12),
    });
    expect(misfit(trouble.map((told) => troubleMessage(told, texts)))).toBeNull();
  },
);
