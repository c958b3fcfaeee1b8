import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diagnosis, misfit, lines, many, nasty, summary, url } from '@pressroom/testkit/slack';
import { foldTraceback, liveMessage, resultMessage } from './blocks.ts';
import { digestMessage } from './digest.ts';

const live = fc.record({
  id: fc.uuid(),
  title: nasty,
  url: fc.option(url),
  bundle: fc.option(nasty),
  previous: fc.option(nasty),
  task: fc.option(nasty),
  who: nasty,
  via: nasty,
  state: fc.constantFrom('running' as const, 'succeeded' as const, 'failed' as const, 'unknown' as const),
  phase: fc.nat(4),
  elapsed: fc.double({ min: 0, max: 1e9, noNaN: true }),
  lines,
  lineCount: fc.nat(1e6),
  error: nasty,
  trouble: nasty,
  diagnosis,
  auditUrl: fc.constantFrom(null, 'https://content.example.com/__api__/v1/audit_logs'),
});

test('a live deploy fits, and mentions nobody', () => {
  expect(misfit(live.map(liveMessage))).toBeNull();
});

test('the result of a deploy fits, and mentions nobody', () => {
  expect(misfit(live.map(resultMessage))).toBeNull();
});

test('a digest fits, and mentions nobody', () => {
  const item = fc.record({ title: nasty, url: fc.option(url), summary });
  expect(misfit(many(item, 100).map(digestMessage))).toBeNull();
});

test('a traceback is folded to its first line and what was raised', () => {
  const lines = [
    'start',
    'Traceback (most recent call last):',
    '  File "a.py"',
    '    import x',
    'KeyError: 1',
    'end',
  ];
  expect(foldTraceback(lines)).toEqual([
    'start',
    'Traceback (most recent call last):',
    '  … 2 lines hidden',
    'KeyError: 1',
    'end',
  ]);
});
