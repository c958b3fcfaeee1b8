// Covers snapshots: what others see changes at the end of a transaction, not at its beginning.
import { expect, it } from 'vitest';
import { endedBetween, readSnapshot } from './snapshot.ts';

const between = (before: string, after: string) => endedBetween(readSnapshot(before), readSnapshot(after));

it.each([
  ['nothing happened', '10:10:', '10:10:', []],
  ['one began', '10:10:', '10:11:10', []],
  ['one began and ended', '10:10:', '11:11:', [10n]],
  ['one that was open ended', '10:12:10,11', '11:12:11', [10n]],
  ['one ended before an older one', '10:12:10', '10:14:10,12', [13n]],
])('finds the transactions that ended: %s', (_, before, after, ended) => {
  expect(between(before, after)).toEqual(ended);
});

it('returns null when numbers go back or too many transactions ended', () => {
  expect(between('10:10:', '9:9:')).toBe(null);
  expect(between('10:10:', '5000:5000:')).toBe(null);
});
