// Covers the bot in a network whose only way out is a proxy.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer } from '@pressroom/testkit';
import { startSlackDouble } from '@pressroom/testkit/slack';
import { expect, onTestFinished, test } from 'vitest';
import { startFakeProxy } from '../../../packages/api/src/client/testing/fake-proxy.ts';
import { botEnvironment, startBotProcess } from './bot-process.ts';

test.each([{ socket: true }, { socket: false }])(
  'the bot reaches Slack through the proxy of the environment (socket: $socket)',
  async ({ socket }) => {
    const directory = await mkdtemp(join(tmpdir(), 'pressroom-slack-proxy-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    await using server = await startTestServer({ engine: 'sqlite' });
    await using slack = await startSlackDouble();
    await using proxy = await startFakeProxy();
    const { SLACK_SIGNING_SECRET, ...env } = botEnvironment({
      server: server.url,
      serviceKey: (await server.administrator()).key,
      store: join(directory, 'bot.sqlite'),
      slack,
    });
    await using bot = await startBotProcess({
      ...env,
      ...(socket ? { SLACK_APP_TOKEN: slack.appToken } : { SLACK_SIGNING_SECRET }),
      HTTP_PROXY: proxy.url,
      NO_PROXY: new URL(server.url).host,
    });
    const user = slack.user('ada');
    const channel = slack.channel('general');
    if (socket) await slack.until(() => slack.sockets > 0);
    else slack.connect(`${bot.url}/slack/events`);
    await slack.command(user, channel, 'help');
    await slack.until(() => slack.whispers(user, channel)[0]);
    expect(new Set(proxy.uses)).toEqual(new Set([`CONNECT ${new URL(slack.apiUrl).host}`]));
    expect(proxy.lines).toContainEqual(expect.stringMatching(/^POST \/api\//));
    expect(proxy.lines.some((line) => line.startsWith('GET /link/'))).toBe(socket);
  },
);
