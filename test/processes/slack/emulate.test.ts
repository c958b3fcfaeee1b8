// Covers the bot with `emulate`: messages, edits, threads, metadata and files, with only the scopes of the manifest.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBot } from '@pressroom/slack';
import { startTestServer, testLog } from '@pressroom/testkit';
import { startEmulatedSlack, startSlackDouble } from '@pressroom/testkit/slack';
import { expect, test } from 'vitest';
import manifest from '../../../packages/slack/manifest.json' with { type: 'json' };
import { botConfig, publish, startTask } from './world.ts';

test('a deploy is posted, edited, answered in its thread with the log, and found again', async () => {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-emulate-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const email = 'publisher1@example.com';
  const emulated = stack.use(
    await startEmulatedSlack(manifest.oauth_config.scopes.bot, { name: 'pia', email }),
  );
  const { channels } = await emulated.call('conversations.list');
  const channel: string = channels.find(({ name }: { name: string }) => name === 'data-science').id;
  const user = {
    id: (await emulated.call('users.lookupByEmail', { email })).user.id as string,
    name: 'pia',
    email,
  };

  // `emulate` has neither slash commands nor response_urls, so these come from the double.
  const slack = stack.use(await startSlackDouble());
  slack.space.channels.set(channel, 'data-science');
  slack.space.users.set(user.id, user);
  const server = stack.use(await startTestServer({ engine: 'sqlite' }));
  const person = await server.person('publisher', { first_name: 'Pia' });
  const { guid, bundles } = await publish(person, 'report', 2);
  const config = botConfig({
    server: server.url,
    serviceKey: (await server.administrator()).key,
    store: join(directory, 'slack.sqlite'),
    slack,
    socket: false,
    more: { slack: { kind: 'token', token: emulated.token }, slackApiUrl: emulated.apiUrl },
  });
  const bot = stack.use(await startBot({ config, log: testLog() }));
  slack.connect(`${bot.url}/slack/events`);
  const { store, slack: port } = bot.services;
  const { team } = slack.space;
  await store.saveLink({
    team,
    slack_user: user.id,
    slack_name: 'pia',
    server_user: person.guid,
    username: person.username,
    key: person.key,
  });

  await slack.command(user, channel, `deploy report --bundle ${bundles[0]}`);
  await slack.until(() => slack.whispers(user, channel).length > 0);
  await bot.idle();
  const history = await emulated.call('conversations.history', { channel, include_all_metadata: 'true' });
  const message = history.messages.find(({ text }: { text: string }) => text.includes('is live'));
  expect(message.metadata.event_type).toBe('pressroom_notice');
  const { notice } = message.metadata.event_payload;
  const where = { team, channel, oldest: 0 };
  expect(await port.findPosted({ ...where, mark: { notice, part: 'live' } })).toBe(message.ts);
  expect(await port.findPosted({ ...where, mark: { notice: randomUUID(), part: 'live' } })).toBeNull();
  const task = await startTask({ server }, person, guid);
  task.log('a line');
  const failing = await bot.services.announcer.announce({
    team,
    channel,
    task: task.id,
    otherwise: task.id,
    content: guid,
    title: 'report',
    url: null,
    bundle: null,
    who: 'Pia',
    via: 'on the server',
    slack_user: null,
    reader: user.id,
    previous: null,
    only_failures: 0,
    started_time: Date.now(),
  });
  await task.end('broken');
  await bot.idle();
  const { id, ts } = (await store.notices.find(failing.notice.id))!;
  const thread = ts!;
  expect(await port.findPosted({ ...where, mark: { notice: id, part: 'result' }, thread })).not.toBeNull();
  expect(await port.hasFile({ team, channel, thread, name: `deploy-${task.id}.log` })).toBe(true);

  // Finds a person by their Slack profile, and publishes the home tab.
  await slack.command(user, channel, `user <@${user.id}>`);
  await slack.until(() => slack.whispers(user, channel).some(({ text }) => text.includes('Pia')));
  await slack.event({ type: 'app_home_opened', user: user.id, channel: `D${user.id}`, tab: 'home' });
  await bot.idle();
});
