import { diagnosis, misfit, lines, nasty } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXTS } from '../../texts/languages.ts';
import { logsMessage } from './blocks.ts';

const LANGUAGES = Object.values(TEXTS);

test.each(LANGUAGES)('$code: a log fits Slack’s limits and mentions nobody', (texts) => {
  const log = fc.record({
    title: nasty,
    task: nasty,
    finished: fc.boolean(),
    code: fc.nat(2),
    end_reason: fc.constantFrom(null, 'cancelled' as const, 'interrupted' as const),
    lines,
    diagnosis,
  });
  expect(misfit(fc.tuple(log, nasty).map(([view, share]) => logsMessage(view, share, texts)))).toBeNull();
});
