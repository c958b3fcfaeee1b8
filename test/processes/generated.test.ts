// Sends a part of the generated requests; `npm run soak` sends all.
import { expect, test } from 'vitest';
import { generatedRequests } from '../soak/generated-requests.ts';

test('generated requests get valid responses or APIErrors, and rejected ones change nothing', async () => {
  const report = await generatedRequests(2000, 20_261);
  expect(report.sent).toBe(2000);
  // Fails if the generator only produces refusals, or nothing comparable.
  expect(report.operations).toBeGreaterThan(30);
  expect(report.succeeded).toBeGreaterThan(150);
  expect(report.compared).toBeGreaterThan(5);
});
