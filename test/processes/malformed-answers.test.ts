// A slice of `npm run soak`: no answer of an application reaches anybody but its visitor (H5).
import { expect, test } from 'vitest';
import { malformedAnswers } from '../soak/malformed-answers.ts';

test('malformed responses end in a 502 for their visitor, and affect nobody else (H5)', async () => {
  const seed = 20_261_121;
  const report = await malformedAnswers(500, seed);
  expect(report).toMatchObject({ seed, faults: [] });
  // Both kinds were seen: those that no answer can be made of, and those that one can.
  expect(report.refused).toBeGreaterThan(100);
  expect(report.passed).toBeGreaterThan(20);
});
