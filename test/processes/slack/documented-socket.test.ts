// Covers Slack's documented errors at each call of a deploy followed over Socket Mode: the final message is correct,
// and posted once. Also covers errors of opening the socket: the bot reconnects, and no later command is lost.
import type { Person } from '@pressroom/testkit';
import type { DoubleUser } from '@pressroom/testkit/slack';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CASES, COMMON, OF_METHOD, OVER } from './documented.ts';
import { makeWorld, publish, startTask, textOf, type World } from './world.ts';

const OF_EACH_KIND = ['internal_error', 'missing_scope', 'ratelimited', 'token_revoked'];

let world: World;
let person: Person;
let user: DoubleUser;
let guid: string;
beforeAll(async () => {
  world = await makeWorld({ rates: false, socket: true, events: false, faster: 300 });
  person = await world.server.person('publisher');
  user = await world.linked(person);
  ({ guid } = await publish(person, 'report'));
});
afterAll(() => world[Symbol.asyncDispose]());

/** Announces the deploy in another channel, as finished, since the bot finds the content of a task by its notices. */
async function announced(task: string): Promise<void> {
  const { notices } = world.bot.services.store;
  const { notice } = await notices.reserve({
    team: world.slack.space.team,
    channel: 'C0ELSEWHERE',
    task,
    otherwise: task,
    content: guid,
    title: 'report',
    url: null,
    bundle: null,
    who: 'Ada',
    via: 'on the server',
    slack_user: null,
    reader: null,
    previous: null,
    only_failures: 1,
    started_time: Date.now(),
  });
  await notices.update(notice.id, { state: 'failed', file_done: 1 });
}

describe.each(Object.keys(OF_METHOD))('%s', (method) => {
  const all = CASES.filter((one) => one.method === method).map(({ word }) => word);
  // Errors of any method are tested with both methods that make up a message, and one of each kind with the others.
  const isPart = /^(files|conversations)/.test(method);
  const words = isPart ? all.filter((word) => !COMMON.includes(word) || OF_EACH_KIND.includes(word)) : all;
  test.each(words)('%s', async (word) => {
    const { slack, bot } = world;
    const channel = slack.channel(word);
    const task = await startTask(world, person, guid);
    task.log('a line of output');
    await announced(task.id);
    slack.faults.words[method] = [word, word];
    if (method === 'conversations.replies')
      slack.faults.words['files.completeUploadExternal'] = ['internal_error'];
    const ack = await slack.command(user, channel, `logs ${task.id} --follow`);
    expect(ack.status).toBe(200);
    const isOver = OVER[method]?.includes(word) === true;
    const isPosted = !(isOver && method === 'chat.postMessage');
    // A message to be edited exists before the task ends. If posting is refused, the person who asked is told.
    await slack.until(() => slack.inChannel(channel)[0] ?? slack.whispers(user, channel)[0]);
    await task.end('broken');
    await bot.idle();
    slack.faults.words[method] = [];
    expect(await bot.services.store.notices.open()).toEqual([]);
    const messages = slack.inChannel(channel);
    expect(messages).toHaveLength(isPosted ? 1 : 0);
    for (const message of messages) {
      const results = slack.thread(channel, message.ts).filter(({ files }) => files === undefined);
      expect(results.map((one) => one.text)).toEqual([expect.stringContaining('failed to deploy')]);
      if (!isOver) expect(textOf(message)).toContain('failed to deploy');
      expect(slack.thread(channel, message.ts).length - results.length).toBeLessThanOrEqual(1);
    }
  });
});

test('apps.connections.open: the bot recovers from every error and answers', async () => {
  const { slack } = world;
  const words = [...new Set(CASES.map(({ word }) => word)), 'forbidden_team'].filter(
    (word) => !/blocks|metadata|channel|msg_|thread/.test(word),
  );
  for (const word of words) {
    const before = slack.space.calls.filter(({ method }) => method === 'apps.connections.open').length;
    slack.faults.words['apps.connections.open'] = [word, word];
    slack.refreshSockets();
    const opened = () => slack.space.calls.filter(({ method }) => method === 'apps.connections.open').length;
    await slack.until(() => opened() >= before + 3 && slack.sockets > 0);
    expect(textOf(await world.say(user, 'help status')), word).toContain('/pressroom status');
  }
});
