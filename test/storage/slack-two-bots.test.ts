// Covers several bots with one PostgreSQL: each message has one owner, and another bot takes over those of a dead one.
import { expect, test } from 'vitest';
import { slackDeploys } from '../soak/slack-deploys.ts';

test(
  'when one of two bots is killed, the other continues without duplicates',
  { timeout: 120_000 },
  async () => {
    const report = await slackDeploys({ deploys: 8, kills: 1, seconds: 4, bots: 2 });
    expect(report.faults).toEqual([]);
  },
);
