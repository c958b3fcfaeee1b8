// A slice of `npm run soak`: deploys at once, and a bot killed in the middle of them.
import { expect, test } from 'vitest';
import { slackDeploys } from '../../soak/slack-deploys.ts';

test('twelve deploys at once end right, within the budget', async () => {
  const report = await slackDeploys({ deploys: 12, kills: 0, seconds: 3 });
  expect(report.faults).toEqual([]);
});

test('a bot killed twice tells every deploy once, and its end', async () => {
  const report = await slackDeploys({ deploys: 8, kills: 2, seconds: 4 });
  expect(report.faults).toEqual([]);
});
