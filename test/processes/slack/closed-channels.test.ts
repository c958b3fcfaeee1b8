// Covers channels that are closed to the bot: their subscriptions end, and who added them is told once, how to add them
// again; an outage of Slack ends nothing.
import type { Person } from '@pressroom/testkit';
import type { DoubleUser } from '@pressroom/testkit/slack';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeWorld, publish, textOf, type World } from './world.ts';

let world: World;
let owner: Person;
let pia: DoubleUser;
let guid: string;
let channel: string;

beforeAll(async () => {
  // Without events, whose signatures the bot's clock would find expired.
  world = await makeWorld({ rates: false, events: false });
  owner = await world.server.person('publisher');
  pia = await world.linked(owner);
  ({ guid } = await publish(owner, 'prices'));
});
afterAll(() => world[Symbol.asyncDispose]());

const HOUR = 3_600_000;
let count = 0;
beforeEach(async () => {
  channel = world.slack.channel(`channel-${(count += 1)}`);
  await say(pia, 'subscribe prices deploys failures usage-weekly --quiet 22-7 --at 9');
});

async function say(user: DoubleUser, line: string): Promise<void> {
  const before = world.slack.whispers(user, channel).length;
  await world.slack.command(user, channel, line);
  await world.slack.until(() => world.slack.whispers(user, channel).length > before);
  await world.bot.idle();
}
async function announced(): Promise<void> {
  await world.bot.services.alerts.send({
    id: crypto.randomUUID(),
    team: world.slack.space.team,
    channel,
    reader: pia.id,
    content: guid,
    message: { text: 'news', blocks: [] },
  });
  await world.bot.idle();
}
async function hourLater(): Promise<void> {
  world.later(HOUR);
  await world.bot.watcher.closedChannels();
  await world.bot.idle();
}
const subscribed = async () => (await world.bot.services.store.subscriptions({ channel })).length;
const direct = (user: DoubleUser) => world.slack.inChannel(`D${user.id}`).map(textOf);
const posts = () =>
  world.slack.space.calls.filter(
    ({ method, args }) => method === 'chat.postMessage' && args['channel'] === channel,
  ).length;

test.each([
  ['archived', 'was archived'],
  ['closed', 'was deleted, or it is private and the bot is no longer in it'],
] as const)('a channel that is %s: its subscription ends, and its owner is told once', async (fault, why) => {
  const before = direct(pia).length;
  world.slack.faults[fault].add(channel);
  await announced();
  expect(await subscribed()).toBe(1);
  await hourLater();
  await hourLater();
  expect(await subscribed()).toBe(0);
  const told = direct(pia).slice(before);
  expect(told).toHaveLength(1);
  expect(told[0]).toContain(`<#${channel}> ${why}`);
  expect(told[0]).toContain(`/pressroom subscribe ${guid} deploys failures usage-weekly --quiet 22-7 --at 9`);
  expect(posts()).toBe(1);
});

test('the line adds the same subscription in another channel', async () => {
  const [before] = await world.bot.services.store.subscriptions({ channel });
  world.slack.faults.archived.add(channel);
  await announced();
  await hourLater();
  const again = /\/pressroom (subscribe [^`]+)/.exec(direct(pia).at(-1) ?? '')?.[1] ?? '';
  channel = world.slack.channel('another');
  await say(pia, again);
  const { content, filters, quiet, digest_hour } = before ?? {};
  expect(await world.bot.services.store.subscriptions({ channel })).toMatchObject([
    { content, filters, quiet, digest_hour },
  ]);
});

test('who added it is told in their language, each about their own', async () => {
  const other = await world.server.person('publisher');
  const uli = await world.linked(other);
  uli.locale = 'de-DE';
  await say(uli, 'subscribe --all failures');
  await say(pia, 'subscribe --owner me');
  world.slack.faults.archived.add(channel);
  await announced();
  await hourLater();
  expect(direct(uli)).toEqual([expect.stringMatching(/wurde archiviert[^]*subscribe failures --all`/)]);
  expect(direct(pia).at(-1)).toMatch(/subscribe deploys failures --owner me`/);
  expect(direct(pia).at(-1)).not.toContain('--all');
});

test('a channel that is open again within the hour keeps its subscription', async () => {
  const before = direct(pia).length;
  world.slack.faults.archived.add(channel);
  await announced();
  world.slack.faults.archived.delete(channel);
  await hourLater();
  expect([await subscribed(), direct(pia).length]).toEqual([1, before]);
});

test.each(['internal_error', 'html', 'invalid_auth', 'ratelimited', 'missing_scope'])(
  'Slack does not say whether the channel is there (%s): nothing ends',
  async (word) => {
    world.slack.faults.words['chat.postMessage'] = ['channel_not_found'];
    await announced();
    world.slack.faults.words['conversations.info'] = [word];
    await hourLater();
    expect(await subscribed()).toBe(1);
    await hourLater();
    expect(await subscribed()).toBe(1);
  },
);

test('one wrong response of Slack ends nothing', async () => {
  world.slack.faults.words['chat.postMessage'] = ['channel_not_found'];
  await announced();
  await hourLater();
  expect(await subscribed()).toBe(1);
});
