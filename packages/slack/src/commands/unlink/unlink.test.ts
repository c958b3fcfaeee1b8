import { expect, test } from 'vitest';
import { openBench, read, refuse } from '../testing/open-bench.ts';
import { unlinkTexts } from './texts.ts';

const { en } = unlinkTexts;
const subscription = {
  team: 'T1',
  channel: 'C2',
  content: 'c',
  title: 'Sales',
  filters: 'deploys',
  quiet: null,
  slack_user: 'U1',
  slack_name: 'ada',
};

test('revokes the key that signing in made, and ends the subscriptions of the person', async () => {
  const { say, store, called, alerts } = await openBench({ server: { deleteApiKey: undefined }, keyId: '5' });
  await store.saveSubscription(subscription);
  await store.saveSubscription({ ...subscription, channel: 'C3', slack_user: 'U2', slack_name: 'bob' });
  expect(read(await say('unlink'))).toBe(en.revoked);
  expect(called('deleteApiKey')).toEqual([{ guid: 'ada-guid', id: '5' }]);
  expect(await store.findLink('T1', 'U1')).toBeNull();
  expect(await store.subscriptions({ team: 'T1' })).toMatchObject([{ channel: 'C3' }]);
  expect(alerts.map(({ channel }) => channel)).toEqual(['C2']);
});

test('leaves a pasted key, and says so', async () => {
  const { say, called, store } = await openBench();
  expect(read(await say('unlink'))).toBe(en.left);
  expect(called('deleteApiKey')).toEqual([]);
  expect(await store.findLink('T1', 'U1')).toBeNull();
});

test('unlinks although the key cannot be revoked', async () => {
  const { say, store } = await openBench({ server: { deleteApiKey: refuse(1, 'broken', 500) }, keyId: '5' });
  expect(read(await say('unlink'))).toBe(en.left);
  expect(await store.findLink('T1', 'U1')).toBeNull();
});

test('somebody who is not linked is told so', async () => {
  const { say } = await openBench({ isLinked: false });
  expect(read(await say('unlink'))).toBe(en.notLinked);
});
