import { expect, test } from 'vitest';
import { CONTENT, openBench, read, type Bench } from '../testing/open-bench.ts';

const subscription = {
  team: 'T1',
  channel: 'C1',
  content: CONTENT.guid,
  title: 'Sales',
  filters: 'deploys,failures',
  quiet: null,
  slack_user: 'U1',
  slack_name: 'ada',
};
const step = { reason: null, reason_code: null, reason_detail: null, draft_task: null, who: 'bob' };

async function subscribed(...more: object[]): Promise<Bench> {
  const bench = await openBench({ server: { getTags: [{ id: '3', name: 'Finance' }] } });
  for (const one of [{}, ...more]) await bench.store.saveSubscription({ ...subscription, ...one });
  return bench;
}

test.each(['unsubscribe sales-report', 'unsubscribe Sales', `unsubscribe ${CONTENT.guid}`])(
  '%s ends the subscription of this channel only',
  async (line) => {
    const { say, store } = await subscribed({ channel: 'C2' });
    expect(read(await say(line))).toBe('Unsubscribed this channel from *Sales*.');
    expect(await store.subscriptions({})).toMatchObject([{ channel: 'C2' }]);
  },
);

test('ends a subscription to deleted content', async () => {
  const { say, store } = await subscribed({ content: 'gone', title: 'Gone' });
  await say('unsubscribe Gone');
  expect(await store.subscriptions({})).toMatchObject([{ title: 'Sales' }]);
});

test.each([
  ['--tag finance', '~tag:3'],
  ['--all', '~all:'],
  ['--owner me', '~owner:ada-guid'],
  ['--type shiny', '~type:shiny'],
])('%s ends the subscription that was made with it', async (option, content) => {
  const { say, store } = await subscribed({ content, title: 'many' });
  expect(read(await say(`unsubscribe ${option}`))).toContain('*many*');
  expect(await store.subscriptions({})).toMatchObject([{ title: 'Sales' }]);
});

test.each([
  ['unsubscribe', /Name the content/],
  ['unsubscribe --all', /not subscribed/],
])('%s ends nothing', async (line, shown) => {
  const { say, store } = await subscribed();
  expect(read(await say(line))).toMatch(shown);
  expect(await store.subscriptions({})).toHaveLength(1);
});

test('open releases of the channel are left, those that ended or are posted elsewhere are not', async () => {
  const { say, store, alerts } = await subscribed({ channel: 'C2' });
  const release = { team: 'T1', content: CONTENT.guid, title: 'Sales', url: null, thread: null };
  for (const channel of ['C1', 'C2'])
    for (const bundle of ['8', '9']) {
      const key = { ...release, channel, bundle };
      await store.releases.add(key, { ...step, id: `asked${bundle}`, what: 'asked', time: 1 });
      await store.releases.posted(key, `1.${bundle}`);
      if (bundle === '9') await store.releases.add(key, { ...step, id: 'live', what: 'live', time: 2 });
    }
  await say('unsubscribe sales-report');
  expect(alerts.map(({ message }) => message)).toEqual([
    { release: { team: 'T1', channel: 'C1', content: CONTENT.guid, bundle: '8' } },
  ]);
  const found = await store.releases.find({ ...release, channel: 'C1', bundle: '8' });
  expect(found?.steps.map(({ what }) => what)).toEqual(['asked', 'left']);
});
