// Runs a part of `npm run soak`: simultaneous deploys, and a bot killed during them.
import { expect, test } from 'vitest';
import { slackDeploys } from '../../soak/slack-deploys.ts';

test('twelve simultaneous deploys end correctly within the budget', async () => {
  const report = await slackDeploys({ deploys: 12, kills: 0, seconds: 3 });
  expect(report.faults).toEqual([]);
});

test('a bot killed twice posts every deploy once, with its outcome', async () => {
  const report = await slackDeploys({ deploys: 8, kills: 2, seconds: 4 });
  expect(report.faults).toEqual([]);
});
