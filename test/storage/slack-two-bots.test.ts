// Several bots over one PostgreSQL database: each message has one owner, and what a dead one had goes on.
import { expect, test } from 'vitest';
import { slackDeploys } from '../soak/slack-deploys.ts';

test('two bots, one killed: the other goes on, and nothing is told twice', { timeout: 120_000 }, async () => {
  const report = await slackDeploys({ deploys: 8, kills: 1, seconds: 4, bots: 2 });
  expect(report.faults).toEqual([]);
});
