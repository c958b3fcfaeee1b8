// Covers rights of channels: a message shows what the person behind it may see at that moment.
import type { Person } from '@pressroom/testkit';
import { afterEach, expect, test } from 'vitest';
import { makeWorld, publish, startTask, textOf, told, type World } from './world.ts';

let world: World;
afterEach(() => world[Symbol.asyncDispose]());

const posted = () => world.slack.inChannel(world.channel).map(textOf);
const everything = () =>
  JSON.stringify([
    world.slack.space.messages,
    [...world.slack.space.files.values()].map(({ bytes }) => bytes.toString()),
  ]);

/** Sets up a person who subscribed to a publisher's content. */
async function subscribed(role: 'viewer' | 'publisher', collaborator = false) {
  world = await makeWorld();
  const owner = await world.server.person('publisher');
  const person = await world.server.person(role);
  const user = await world.linked(person);
  const { guid } = await publish(owner, 'report', 1, { access_type: 'acl' });
  const permissions = `/v1/content/${guid}/permissions`;
  const body = {
    principal_guid: person.guid,
    principal_type: 'user',
    role: collaborator ? 'owner' : 'viewer',
  };
  const { body: permission } = await owner.call('POST', permissions, { body });
  const response = textOf(await world.say(user, 'subscribe report'));
  const revoke = () => owner.call('DELETE', `${permissions}/${permission.id}`);
  return { owner, user, guid, revoke, response };
}

async function deployed(owner: Person, guid: string, error?: string, meanwhile?: () => Promise<unknown>) {
  const task = await startTask(world, owner, guid);
  await told(world);
  task.log('a line for collaborators');
  await meanwhile?.();
  await task.end(error);
  await world.bot.idle();
}

test('a subscribed viewer sees outcomes of deploys without their output', async () => {
  const { owner, guid, response } = await subscribed('viewer');
  expect(response).toContain('only collaborators can see them');
  await deployed(owner, guid);
  await deployed(owner, guid, 'ModuleNotFoundError: a line for collaborators');
  expect(posted()).toEqual([expect.stringContaining('is live'), expect.stringContaining('failed to deploy')]);
  expect(everything()).not.toContain('a line for collaborators');
  expect(world.slack.space.files.size).toBe(0);
});

test('a subscription ends with the subscriber’s access, and the channel is notified', async () => {
  const { owner, guid, user, revoke } = await subscribed('viewer');
  await revoke();
  await deployed(owner, guid);
  expect(posted()).toEqual([
    `Notifications about *report* ended in this channel: ${user.name}, who subscribed, can no longer see it.`,
  ]);
  await deployed(owner, guid);
  expect(posted()).toHaveLength(1);
});

test('subscriptions to deleted content end, and the channel is told once, also after an outage of Slack', async () => {
  const { owner, guid } = await subscribed('viewer');
  world.slack.faults.down = true;
  await owner.call('DELETE', `/v1/content/${guid}`);
  await told(world);
  expect(await world.bot.services.store.subscriptions({})).toEqual([]);
  world.slack.faults.down = false;
  await world.bot.idle();
  expect(posted()).toEqual([
    `Notifications about *report* ended in this channel: ${owner.username} deleted it.`,
  ]);
});

test('on a server without events, subscriptions to deleted content end, too', async () => {
  world = await makeWorld({ events: false });
  const owner = await world.server.person('publisher');
  const user = await world.linked(owner);
  const { guid } = await publish(owner, 'report');
  await world.say(user, 'subscribe report');
  await world.bot.watcher.scan();
  await owner.call('DELETE', `/v1/content/${guid}`);
  await world.bot.watcher.scan();
  await world.bot.watcher.scan();
  await world.bot.idle();
  expect(posted()).toEqual([
    expect.stringMatching(
      /^Notifications about \*report\* ended in this channel: .*publisher\d.* deleted it\.$/,
    ),
  ]);
});

test('losing access during a deploy ends the notice and withdraws its output', async () => {
  const { owner, guid, revoke } = await subscribed('publisher', true);
  await deployed(owner, guid, 'broken', async () => {
    await world.slack.until(() => posted().some((text) => text.includes('a line for collaborators')));
    await revoke();
  });
  expect(posted()).toEqual([
    expect.stringContaining('unknown deploy status'),
    expect.stringContaining('can no longer see it'),
  ]);
  expect(everything()).not.toContain('a line for collaborators');
});

test('a digest requires the subscriber’s access', async () => {
  const { user, guid, revoke } = await subscribed('publisher', true);
  await world.say(user, 'subscribe report usage-weekly');
  await revoke();
  const { store } = world.bot.services;
  const [subscription] = await store.subscriptions({ content: guid });
  await store.finishDigest(subscription!, 0);
  await world.bot.watcher.digests();
  await world.bot.idle();
  expect(posted()).toEqual([expect.stringContaining('can no longer see it')]);
});

test.each(['viewer', 'publisher'] as const)('a %s who is no collaborator gets no usage', async (role) => {
  const { user, guid } = await subscribed(role);
  for (const line of ['usage report', 'subscribe report deploys usage-daily'])
    expect(textOf(await world.say(user, line)), line).toContain('Only collaborators of *report*');
  const { store } = world.bot.services;
  const [subscription] = await store.subscriptions({ content: guid });
  expect(subscription?.filters).toBe('deploys,failures');
});

test('a digest leaves out content of which the subscriber may not see the usage', async () => {
  const { user } = await subscribed('publisher');
  const own = await world.server.person('publisher');
  const other = await world.linked(own);
  await publish(own, 'second');
  await world.say(user, 'subscribe --all usage-daily');
  await world.say(other, 'subscribe second usage-daily');
  const { store } = world.bot.services;
  for (const one of await store.subscriptions({})) await store.finishDigest(one, 0);
  await world.bot.watcher.digests();
  await world.bot.idle();
  expect(posted()).toHaveLength(1);
  expect(posted()[0]).toContain('second');
  expect(posted()[0]).not.toContain('report');
});

test('a dry run shows no text of the audit log', async () => {
  const { user } = await subscribed('viewer');
  const text = textOf(await world.say(user, 'subscribe report --dry-run'));
  expect(text).toMatch(/Deploy of bundle \d+/);
  expect(text).not.toMatch(/Deploying bundle|task/);
});

test('an unlinked user cannot subscribe or unsubscribe, even as a guest', async () => {
  world = await makeWorld({ guest: true, config: { unlinked: ['subscribe', 'unsubscribe'] } });
  await publish(await world.server.person('publisher'), 'report');
  const stranger = world.slack.user('stranger');
  for (const line of ['subscribe report', 'unsubscribe report'])
    expect(textOf(await world.say(stranger, line)), line).toContain('requires your account');
});

test('unlinking ends the person’s subscriptions, and says so', async () => {
  const { user } = await subscribed('viewer');
  await world.say(user, 'unlink');
  await world.bot.idle();
  expect(posted()).toEqual([expect.stringContaining('unlinked the account')]);
});

test('a click without the right does not block a user who has it', async () => {
  world = await makeWorld();
  const person = await world.server.person('publisher');
  const owner = await world.linked(person);
  const viewer = await world.linked(await world.server.person('viewer'));
  await publish(person, 'report');
  await world.say(owner, 'deploy report');
  await world.bot.idle();
  const [message] = world.slack.inChannel(world.channel);
  const [refused, started] = await Promise.all([
    world.press(viewer, message!, 'notice:redeploy'),
    world.press(owner, message!, 'notice:redeploy'),
  ]);
  expect(textOf(refused)).toContain('do not have permission');
  expect(textOf(started)).toContain('Started the redeploy');
  await world.bot.idle();
});

test('linking after a click continues that click', async () => {
  world = await makeWorld();
  const person = await world.server.person('publisher');
  const owner = await world.linked(person);
  await publish(person, 'report');
  await world.say(owner, 'deploy report');
  await world.bot.idle();
  const [message] = world.slack.inChannel(world.channel);
  const newcomer = world.slack.user('newcomer');
  const offer = await world.press(newcomer, message!, 'notice:logs');
  await world.slack.click(newcomer, offer, 'link');
  await world.slack.until(() => world.slack.space.modals[0]);
  const before = world.slack.whispers(newcomer, world.channel).length;
  await world.slack.submit(newcomer, { key: { key: person.key } });
  const response = await world.slack.until(() => world.slack.whispers(newcomer, world.channel)[before]);
  expect(textOf(response)).toMatch(/report.*: task .* succeeded/);
});

test('a button of the home tab is answered in direct messages', async () => {
  world = await makeWorld();
  const person = await world.server.person('publisher');
  const user = await world.linked(person);
  await publish(person, 'report');
  await world.slack.event({ type: 'app_home_opened', user: user.id, channel: `D${user.id}`, tab: 'home' });
  await world.slack.until(() => world.slack.space.homes.get(user.id));
  await world.slack.click(user, 'home', 'run:status');
  const [response] = await world.slack.until(() => {
    const all = world.slack.inChannel(`D${user.id}`);
    return all.length > 0 && all;
  });
  expect(textOf(response!)).toContain('Live');
});

test('a window submitted without a user name is answered', async () => {
  world = await makeWorld();
  const person = await world.server.person('publisher');
  const user = world.slack.user('');
  Object.assign(user, { name: undefined });
  const offer = await world.say(user, 'link');
  await world.slack.click(user, offer, 'link');
  await world.slack.until(() => world.slack.space.modals[0]);
  expect(await world.slack.submit(user, { key: { key: person.key } })).toMatchObject({ status: 200 });
  expect(await world.bot.services.store.findLink(world.slack.space.team, user.id)).toMatchObject({
    slack_name: user.id,
  });
});

test('a person of another workspace links an account in a shared channel, and uses it there', async () => {
  world = await makeWorld();
  const person = await world.server.person('publisher');
  const owner = await world.linked(person);
  await publish(person, 'report');
  await world.say(owner, 'deploy report');
  await world.bot.idle();
  const [message] = world.slack.inChannel(world.channel);
  const guest = Object.assign(world.slack.user('guest'), { team: 'T0OTHER' });
  const offer = await world.press(guest, message!, 'notice:logs');
  await world.slack.click(guest, offer, 'link');
  await world.slack.until(() => world.slack.space.modals[0]);
  await world.slack.submit(guest, { key: { key: person.key } });
  await world.bot.idle();
  expect(textOf(await world.press(guest, message!, 'notice:logs'))).toMatch(/report.*: task .* succeeded/);
  const text = `<@${world.slack.space.bot}> status report`;
  const before = world.slack.whispers(guest, world.channel).length;
  await world.slack.event({ type: 'app_mention', user: guest.id, channel: world.channel, text, ts: '1.2' });
  await world.bot.idle();
  expect(textOf(world.slack.whispers(guest, world.channel)[before]!)).toContain('Live');
});
