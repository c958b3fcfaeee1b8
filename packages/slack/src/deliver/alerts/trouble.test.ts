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
      what: fc.constantFrom('crash' as const, 'render' as const, 'held_variant' as const),
      content: fc.record({ guid: nasty, title: nasty, url: fc.option(url) }),
      reason: nasty,
      time: fc.nat(2e12),
    });
    expect(misfit(trouble.map((told) => troubleMessage(told, texts)))).toBeNull();
  },
);

test.each([
  ['exited', '3', 'er endete mit einem Fehlercode: 3'],
  ['killed', 'SIGSEGV', 'er wurde durch ein Signal beendet: SIGSEGV'],
  ['out_of_memory', '512 MiB', 'der Arbeitsspeicher reichte nicht, Grenze: 512 MiB'],
  [null, null, 'was lost'],
])('a German notice tells how a process ended: %s', (reason_code, reason_detail, expected) => {
  const content = { guid: 'g', title: 'Umsatz', url: null };
  const crash = { id: '1', what: 'crash' as const, content, reason: 'was lost', time: 1 };
  const message = troubleMessage({ ...crash, reason_code, reason_detail }, TEXTS.de);
  expect(JSON.stringify(message.blocks)).toContain(`ist abgestürzt: ${expected}.`);
});
