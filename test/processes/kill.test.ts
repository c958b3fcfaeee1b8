// Runs a part of `npm run soak`: a killed server loses nothing that it acknowledged.
import { expect, test } from 'vitest';
import { killServer } from '../soak/kill-server.ts';

test('four kills lose nothing, leave nothing unfinished, and SIGTERM exits with 0', async () => {
  const report = await killServer(4);
  expect(report.faults).toEqual([]);
  expect(report.acknowledged.uploads).toBeGreaterThan(0);
});
