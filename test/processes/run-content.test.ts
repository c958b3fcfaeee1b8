// Runs a part of `npm run soak`: content that misbehaves, and deploys under load.
import { expect, test } from 'vitest';
import { runContent } from '../soak/run-content.ts';

test('misbehaving content does not affect its neighbours, and no request fails during deploys', async () => {
  const report = await runContent({ rounds: 1, megabytes: 20, redeploys: 3 });
  expect(report.faults).toEqual([]);
  expect(report.misdeeds).toBe(5);
  expect(report.underLoad.responses).toBeGreaterThanOrEqual(report.redeploys);
});
