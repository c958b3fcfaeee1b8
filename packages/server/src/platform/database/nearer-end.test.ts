import { expect, it } from 'vitest';
import { fromNearerEnd } from './nearer-end.ts';

const ROWS = Array.from({ length: 7 }, (_, index) => index);

it.each([1, 2, 3, 7, 10])('returns the same rows from either end, in pages of %i', async (limit) => {
  for (let total = 0; total <= ROWS.length; total += 1) {
    const rows = ROWS.slice(0, total);
    for (let offset = 0; offset <= total + limit; offset += 1) {
      const read = await fromNearerEnd({ offset, limit }, total, async (span, direction) => {
        expect(span.offset).toBeLessThanOrEqual(total / 2);
        expect(direction(true)).not.toBe(direction(false));
        const source = direction(true) === 'asc' ? rows : rows.toReversed();
        return source.slice(span.offset, span.offset + span.limit);
      });
      expect(read).toEqual(rows.slice(offset, offset + limit));
    }
  }
});
