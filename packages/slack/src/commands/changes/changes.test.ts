import fc from 'fast-check';
import { expect, test } from 'vitest';
import { many, misfit, nasty } from '@pressroom/testkit/slack';
import { changesMessage } from './blocks.ts';
import { lineCounts } from './line-counts.ts';

test.each([
  ['a\nb\nc\n', 'a\nb\nc\n', 0, 0],
  ['', 'a\nb\n', 2, 0],
  ['a\nb\n', '', 0, 2],
  ['a\nb\nc\n', 'a\nx\nc\n', 1, 1],
  ['a\nb\nc\nd', 'b\nc\nd\ne', 1, 1],
  ['1\n2\n3', '0\n1\n2\n3\n4', 2, 0],
])('%j → %j: %i added, %i removed', (before, after, added, removed) => {
  expect(lineCounts(before, after)).toEqual({ added, removed });
});

test('what one way adds, the other way removes, and no more than there is', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 }).map((lines) => lines.join('\n'));
  const property = fc.property(text, text, (one, other) => {
    const [there, back] = [lineCounts(one, other), lineCounts(other, one)];
    expect([there.added, there.removed]).toEqual([back.removed, back.added]);
    expect(there.added).toBeGreaterThanOrEqual(0);
    expect(there.removed).toBeGreaterThanOrEqual(0);
  });
  fc.assert(property);
});

test('what changed fits, and mentions nobody', () => {
  const file = fc.record({
    path: nasty,
    kind: fc.constantFrom('added' as const, 'removed' as const, 'changed' as const),
    lines: fc.option(fc.record({ added: fc.nat(), removed: fc.nat() })),
  });
  const changes = fc.record({ title: nasty, from: nasty, to: nasty, files: many(file) });
  expect(misfit(fc.tuple(changes, nasty).map(([view, share]) => changesMessage(view, share)))).toBeNull();
});
