// Runs a part of `npm run soak`: a malformed response of an application reaches nobody but its visitor (H5).
import { expect, test } from 'vitest';
import { malformedResponses } from '../soak/malformed-responses.ts';

test('malformed responses end in a 502 for their visitor, and affect nobody else (H5)', async () => {
  const seed = 20_261_121;
  const report = await malformedResponses(500, seed);
  expect(report).toMatchObject({ seed, faults: [] });
  // Both kinds occurred: malformed responses that become a 502, and those that can be passed on.
  expect(report.refused).toBeGreaterThan(100);
  expect(report.passed).toBeGreaterThan(20);
});
