// Covers the decision to roll back a canary: only a significant difference counts.
import { expect, test } from 'vitest';
import { findRegression } from './decide.ts';
import { addTime, noFigures, type MutableFigures } from './figures.ts';

const LIMITS = { error_limit: 2, slow_limit: 100 };
function figures(more: Partial<MutableFigures>, ms: Record<number, number> = {}): MutableFigures {
  const all = { ...noFigures(), ...more };
  for (const [time, count] of Object.entries(ms))
    for (let i = 0; i < count; i += 1) addTime(all, Number(time));
  return all;
}
const GOOD = figures({ requests: 1000 }, { 20: 1000 });

test.each([
  ['there were no requests yet', GOOD, figures({}), null],
  ['two of four requests failed', GOOD, figures({ requests: 4, errors: 2 }), null],
  [
    'one in ten requests fails',
    GOOD,
    figures({ requests: 60, errors: 6 }),
    /^10 % of its requests failed \(6 of 60\), against 0 %/,
  ],
  ['all requests fail', figures({}), figures({ requests: 20, errors: 20 }), /^100 % of its requests failed/],
  ['the error rate is within the limit', GOOD, figures({ requests: 1000, errors: 25 }), null],
  [
    'the live bundle fails as often',
    figures({ requests: 1000, errors: 100 }),
    figures({ requests: 100, errors: 10 }),
    null,
  ],
  ['a process crashed once', GOOD, figures({ crashes: 1 }), null],
  [
    'a process crashed and another did not start',
    GOOD,
    figures({ crashes: 1, failed_starts: 1 }),
    /^2 of its processes crashed or did not start/,
  ],
  ['processes of the live bundle crash as often', figures({ crashes: 2 }), figures({ crashes: 2 }), null],
  [
    'the health path fails',
    GOOD,
    figures({ health_checks: 4, health_failures: 3 }),
    /^its health path failed 3 of 4 times/,
  ],
  ['the health path failed while it started', GOOD, figures({ health_checks: 9, health_failures: 3 }), null],
  [
    'scripts fail',
    figures({ pages: 100 }),
    figures({ pages: 30, script_errors: 30 }),
    /^scripts failed on 100 % of its pages/,
  ],
  [
    'the canary is slow',
    GOOD,
    figures({ requests: 60 }, { 20: 10, 400: 50 }),
    /^nine of ten of its requests took up to \d+ ms, against \d+ ms/,
  ],
  ['the canary is imperceptibly slower', GOOD, figures({ requests: 60 }, { 80: 60 }), null],
  ['a few requests are slow', GOOD, figures({ requests: 60 }, { 20: 56, 2000: 4 }), null],
])('decides whether to roll back when %s', (_what, live, canary, wrong) => {
  const found = findRegression(LIMITS, live, canary)?.text ?? null;
  if (wrong === null) expect(found).toBeNull();
  else expect(found).toMatch(wrong);
});

test('ignores response times with a slow_limit of 0', () => {
  const slow = figures({ requests: 60 }, { 400: 60 });
  expect(findRegression({ ...LIMITS, slow_limit: 0 }, GOOD, slow)).toBeNull();
});
