import { diagnosis, misfit, lines, nasty, url } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXTS } from '../../texts/languages.ts';
import { foldTraceback, liveMessage, resultMessage, starterMessage } from './blocks.ts';

const LANGUAGES = Object.values(TEXTS);

const live = fc.record({
  id: fc.uuid(),
  content: fc.uuid(),
  title: nasty,
  url: fc.option(url),
  bundle: fc.option(nasty),
  previous: fc.option(nasty),
  task: fc.option(nasty),
  who: nasty,
  via: nasty,
  state: fc.constantFrom(
    ...(['running', 'succeeded', 'failed', 'cancelled', 'interrupted', 'unknown'] as const),
  ),
  phase: fc.nat(4),
  elapsed: fc.double({ min: 0, max: 1e9, noNaN: true }),
  lines,
  lineCount: fc.nat(1e6),
  error: nasty,
  trouble: nasty,
  diagnosis,
  starter: fc.constantFrom(null, 'not a Slack user'),
  plans: fc.boolean(),
  commit: fc.option(
    fc.record({ sha: nasty, subject: nasty, author: nasty, branch: nasty, repository: nasty }),
  ),
  auditUrl: fc.constantFrom(null, 'https://content.example.com/__api__/v1/audit_logs'),
});

test.each(LANGUAGES)('$code: a live deploy fits Slack’s limits and mentions nobody', (texts) => {
  expect(misfit(live.map((deploy) => liveMessage(deploy, texts)))).toBeNull();
});

test.each(LANGUAGES)('$code: the result of a deploy fits Slack’s limits and mentions nobody', (texts) => {
  expect(misfit(live.map((deploy) => resultMessage(deploy, texts)))).toBeNull();
});

test.each(LANGUAGES)(
  '$code: the notice of a failed deploy fits Slack’s limits and mentions nobody',
  (texts) => {
    expect(misfit(live.map((deploy) => starterMessage(deploy, texts)))).toBeNull();
  },
);

test('folds a traceback to its first line and the exception', () => {
  const lines = [
    'start',
    'Traceback (most recent call last):',
    '  File "a.py"',
    '    import x',
    'KeyError: 1',
    'end',
  ];
  expect(foldTraceback(lines, TEXTS.en)).toEqual([
    'start',
    'Traceback (most recent call last):',
    '  … 2 lines hidden',
    'KeyError: 1',
    'end',
  ]);
});
