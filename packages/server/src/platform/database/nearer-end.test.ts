import { expect, it } from 'vitest';
import { nearerEnd } from './nearer-end.ts';

const ROWS = Array.from({ length: 7 }, (_, index) => index);

it.each([1, 2, 3, 7, 10])('returns the same rows from either end, in pages of %i', (limit) => {
  for (let total = 0; total <= ROWS.length; total += 1) {
    const rows = ROWS.slice(0, total);
    for (let offset = 0; offset <= total + limit; offset += 1) {
      const span = nearerEnd({ offset, limit }, total);
      const source = span.backwards ? rows.toReversed() : rows;
      const read = source.slice(span.offset, span.offset + span.limit);
      expect(span.backwards ? read.toReversed() : read).toEqual(rows.slice(offset, offset + limit));
      expect(span.offset).toBeLessThanOrEqual(total / 2);
    }
  }
});
