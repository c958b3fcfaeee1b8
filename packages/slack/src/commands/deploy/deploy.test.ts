import { NoResponseError } from '@pressroom/api/client';
import { expect, test } from 'vitest';
import { CONTENT, openBench, read, refuse } from '../testing/open-bench.ts';

const deployContentBundle = () => ({ task_id: 'T4SK' });

test('deploys the active bundle, and the channel follows', async () => {
  const { say, called, announced } = await openBench({ server: { deployContentBundle } });
  expect(read(await say('deploy sales-report'))).toContain('Deploying *Sales* (task T4SK)');
  expect(called('deployContentBundle')).toEqual([{ guid: CONTENT.guid }]);
  expect(announced).toEqual([
    expect.objectContaining({ channel: 'C1', task: 'T4SK', bundle: '7', slack_user: 'U1', only_failures: 0 }),
  ]);
});

test('deploys the named bundle, and of a draft only what the button showed', async () => {
  const { say, called } = await openBench({ server: { deployContentBundle } });
  await say('deploy sales-report --bundle 8 --task DR4FT');
  expect(called('deployContentBundle')).toEqual([
    { guid: CONTENT.guid, bundle_id: '8', draft_task_id: 'DR4FT' },
  ]);
});

test('a bundle that somebody is deploying is theirs', async () => {
  const busy = refuse(100, 'it is going live', 400, { by: 'bob', task_id: 'T4SK' });
  const { say, announced } = await openBench({ server: { deployContentBundle: busy } });
  expect(read(await say('deploy sales-report'))).toContain('bob already started the deploy (task T4SK)');
  expect(announced).toEqual([]);
});

test('a deploy whose response was lost is not said to have failed', async () => {
  const lost = () => {
    throw new NoResponseError({ operation: 'x', server: 'https://x', kind: 'reset', message: 'lost' });
  };
  const { say, called } = await openBench({ server: { deployContentBundle: lost } });
  const shown = read(await say('deploy sales-report'));
  expect(shown).not.toContain('failed');
  expect(shown).toContain('/pressroom deploys');
  expect(called('deployContentBundle')).toHaveLength(1);
});

test('locked content says who locked it and why', async () => {
  const locked = refuse(22, 'cleo locked deploys of this content: freeze');
  const { say } = await openBench({ server: { deployContentBundle: locked } });
  expect(read(await say('deploy sales-report'))).toContain('cleo locked deploys of this content: freeze');
});
