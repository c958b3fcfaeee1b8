// Covers the store of the Slack bot on both engines.
import { randomBytes } from 'node:crypto';
import { openBotStore, type BotStore } from '@pressroom/slack';
import { startTestDatabase, type TestDatabase } from '@pressroom/testkit';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

let database: TestDatabase;
beforeEach(async () => {
  database = await startTestDatabase();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await database[Symbol.asyncDispose]();
});

const key = (name: string) => `${name}:${randomBytes(32).toString('base64')}`;
const open = (keys: string, now?: () => number): Promise<BotStore> => openBotStore(database.url, keys, now);
const link = {
  team: 'T1',
  slack_user: 'U1',
  slack_name: 'ada',
  server_user: 'guid',
  username: 'ada',
  key: 'a secret key',
};
const notice = {
  team: 'T1',
  channel: 'C1',
  task: 'task1',
  otherwise: 'audit:1',
  content: 'c',
  title: 'Sales',
  url: null,
  bundle: '1',
  who: 'Ada',
  via: 'from Slack',
  slack_user: 'U1',
  reader: 'U1',
  previous: null,
  only_failures: 0 as const,
  started_time: 1,
};

test('a rotation seals everything with the newest key, so the old one can be removed', async () => {
  const [old, fresh] = [key('old'), key('new')];
  {
    await using store = await open(old);
    await store.saveLink(link);
    await store.saveInstallation('T1', '{"token":"xoxb"}');
  }
  {
    await using store = await open(`${fresh},${old}`);
    expect(await store.rotate()).toBe(2);
    expect(await store.rotate()).toBe(0);
  }
  await using store = await open(fresh);
  expect((await store.findLink('T1', 'U1'))?.key).toBe('a secret key');
  expect(await store.readInstallation('T1')).toContain('xoxb');
});

test('a deploy is reserved once for each channel, even concurrently', async () => {
  await using store = await open(key('a'));
  const all = await Promise.all(Array.from({ length: 20 }, () => store.notices.reserve(notice)));
  expect(all.filter(({ fresh }) => fresh)).toHaveLength(1);
  expect(new Set(all.map((result) => result.notice.id)).size).toBe(1);
  expect((await store.notices.reserve({ ...notice, channel: 'C2' })).fresh).toBe(true);
});

test('the first click wins; after a failure another one may follow', async () => {
  await using store = await open(key('a'));
  expect(await store.claimClick('x', 'U1', 'ada')).toBeNull();
  expect(await store.claimClick('x', 'U2', 'bob')).toMatchObject({ slack_name: 'ada', task: null });
  await store.releaseClick('x');
  expect(await store.claimClick('x', 'U2', 'bob')).toBeNull();
  await store.finishClick('x', 'task');
  await store.releaseClick('x');
  expect(await store.claimClick('x', 'U1', 'ada')).toMatchObject({ slack_name: 'bob', task: 'task' });
});

test('a pending line is taken once, by its owner, before it expires', async () => {
  let time = 1_000_000_000;
  await using store = await open(key('a'), () => time);
  const add = () =>
    store.addPending({
      team: 'T1',
      slack_user: 'U1',
      channel: 'C1',
      line: 'status',
      response_url: 'http://r',
    });
  const id = await add();
  expect(await store.takePending(id, 'T1', 'U2')).toBeNull();
  expect((await store.takePending(id, 'T1', 'U1'))?.line).toBe('status');
  expect(await store.takePending(id, 'T1', 'U1')).toBeNull();
  const late = await add();
  time += 2 * 3_600_000;
  expect(await store.takePending(late, 'T1', 'U1')).toBeNull();
});

test('the budget of edits applies for a minute to each workspace', async () => {
  let time = 0;
  await using store = await open(key('a'), () => time);
  const take = (team: string) => store.notices.takeEdit(team, 3);
  const taken = await Promise.all([take('T1'), take('T1'), take('T1'), take('T1')]);
  expect(taken.filter((got) => got)).toHaveLength(3);
  expect(await take('T2')).toBe(true);
  time += 60_000;
  expect(await take('T1')).toBe(true);
});

test('an event is new once, and a digest is due until it is finished', async () => {
  let time = 10 * 86_400_000;
  await using store = await open(key('a'), () => time);
  expect([await store.firstSight('e'), await store.firstSight('e')]).toEqual([true, false]);
  const subscription = {
    team: 'T1',
    channel: 'C1',
    content: 'c',
    title: 'Sales',
    slack_user: 'U1',
    slack_name: 'ada',
  };
  await store.saveSubscription({ ...subscription, filters: 'failures,usage-weekly', quiet: null });
  await store.saveSubscription({ ...subscription, content: 'd', filters: 'deploys', quiet: null });
  time += 8 * 86_400_000;
  const due = await store.dueDigests(time);
  expect(due.map(({ content }) => content)).toEqual(['c']);
  await store.finishDigest(due[0]!, time);
  expect(await store.dueDigests(time)).toEqual([]);
  expect(await store.subscriptions({ channel: 'C1' })).toHaveLength(2);
  expect(await store.removeSubscription('T1', 'C1', 'c')).toBe(true);
  expect(await store.removeSubscription('T1', 'C1', 'c')).toBe(false);
});

test('two bots take what is about releases in a channel one at a time: after quiet hours it is one message', async () => {
  const keys = key('a');
  await using one = await open(keys, () => 1);
  await using other = await open(keys, () => 1);
  const add = (id: string, release: number, channel = 'C1') => {
    const message = JSON.stringify({ release: { bundle: release } });
    return one.outbox.add({ id, team: 'T1', channel, reader: null, content: null, message });
  };
  await add('asked', 1);
  await add('approved', 1);
  await add('of another', 2);
  await add('elsewhere', 1, 'C2');
  expect(await one.outbox.take()).toMatchObject({ id: 'approved' });
  expect(await other.outbox.take()).toMatchObject({ id: 'elsewhere' });
  expect(await other.outbox.take()).toBeNull();
  await one.outbox.finish('approved');
  const first = (await other.outbox.take())!;
  expect(first).toMatchObject({ id: 'asked', isAgain: false });
  expect(await one.outbox.take()).toBeNull();
  expect(await other.outbox.takeReleases(first)).toMatchObject([{ id: 'of another' }]);
});

test('two bots that take what is about releases at the end of quiet hours do not share a channel', async () => {
  const keys = key('a');
  // The hours end at 10: one of the messages is due for one bot only.
  const one = await open(keys, () => 9);
  const other = one.isShared ? await open(keys, () => 10) : one;
  for (let round = 0; round < 25; round += 1) {
    const channel = `C${round}`;
    for (const bundle of [1, 2]) {
      const message = JSON.stringify({ release: { bundle } });
      const id = `${round}-${bundle}`;
      await one.outbox.add({ id, team: 'T1', channel, reader: null, content: null, message });
    }
    await one.outbox.retry(`${round}-1`, 10);
    const taken = await Promise.all([one, other].map(({ outbox }) => outbox.take()));
    expect(taken.filter((row) => row?.channel === channel)).toHaveLength(1);
  }
  for (const bot of new Set([one, other])) await bot[Symbol.asyncDispose]();
});

test('the lease of a message is counted by one clock: a bot whose own is ahead does not post it again', async () => {
  const keys = key('a');
  await using one = await open(keys);
  await using other = await open(keys);
  await one.outbox.add({ id: 'a', team: 'T1', channel: 'C1', reader: null, content: null, message: '{}' });
  await one.outbox.take();
  await one.notices.reserve(notice);
  const real = Date.now;
  vi.spyOn(Date, 'now').mockImplementation(() => real() + 120_000);
  // An SQLite file has one bot: what another one has begun is of a bot that is gone.
  const again = one.isShared ? null : expect.objectContaining({ id: 'a', isAgain: true });
  expect(await other.outbox.take()).toEqual(again);
  expect(await other.notices.claim()).toHaveLength(one.isShared ? 0 : 1);
});

test('a bot that was too slow does not give back what another one is posting', async () => {
  let time = 1_000_000;
  const keys = key('a');
  await using one = await open(keys, () => time);
  await using other = await open(keys, () => time);
  await one.outbox.add({ id: 'a', team: 'T1', channel: 'C1', reader: null, content: null, message: '{}' });
  expect(await one.outbox.take()).toMatchObject({ id: 'a', isAgain: false });
  time += 60_000;
  expect(await other.outbox.take()).toMatchObject({ id: 'a', isAgain: true });
  await one.outbox.retry('a', time);
  expect(await one.outbox.take()).toBeNull();
});

test('two bots that hear of a deploy from different sources at once announce it once', async () => {
  const keys = key('a');
  const one = await open(keys);
  const other = one.isShared ? await open(keys) : one;
  for (let round = 0; round < 25; round += 1) {
    const content = `content-${round}`;
    const of = (task: string | null) => ({ ...notice, content, task, otherwise: `audit:${round}` });
    const reserved = await Promise.all([
      one.notices.reserve(of(`task-${round}`), ([known]) => known),
      other.notices.reserve(of(null), ([known]) => known),
    ]);
    expect(reserved.filter(({ fresh }) => fresh)).toHaveLength(1);
    expect(await one.notices.ofContent(content, 9)).toMatchObject([{ task: `task-${round}` }]);
  }
  for (const bot of new Set([one, other])) await bot[Symbol.asyncDispose]();
});

test('a message is repeated once the time since the last one is over, in whatever clock hour', async () => {
  let time = 3_599_000;
  await using store = await open(key('a'), () => time);
  const crash = { id: 'a', team: 'T1', channel: 'C1', reader: null, content: null, repeatAfter: 3_600_000 };
  const add = (message: string) => store.outbox.add({ ...crash, message });
  expect(await add('one')).toBe(true);
  time += 2 * 3_600_000;
  expect(await add('while the first one is not posted')).toBe(false);
  expect(await store.outbox.take()).toMatchObject({ message: 'one', isAgain: false });
  await store.outbox.finish('a');
  expect(await add('two')).toBe(true);
  expect(await store.outbox.take()).toMatchObject({ message: 'two', isAgain: false });
  await store.outbox.finish('a');
  time += 3_599_000;
  expect(await add('in the next clock hour')).toBe(false);
});
