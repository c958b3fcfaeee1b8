// Covers overload: people are told at once to try again, and nothing is started.
import type { DoubleUser } from '@pressroom/testkit/slack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { en } from '../../../packages/slack/src/texts/en.ts';
import { makeWorld, textOf, type World } from './world.ts';

let world: World;
let user: DoubleUser;
beforeAll(async () => {
  // No job may wait, so every request is too much.
  world = await makeWorld({ rates: false, backlog: 0 });
  user = await world.linked(await world.server.person('publisher'));
});
afterAll(() => world[Symbol.asyncDispose]());

test('a busy bot answers a command in its acknowledgement', async () => {
  const ack = await world.slack.command(user, world.channel, 'status');
  expect(ack).toMatchObject({ status: 200, body: { response_type: 'ephemeral', text: en.failure.busy } });
  await world.bot.idle();
  expect(world.slack.whispers(user, world.channel)).toEqual([]);
  expect(await (await fetch(`${world.bot.url}/metrics`)).text()).toContain('pressroom_slack_refused_total 1');
});

test.each([
  [
    'a click',
    () =>
      world.slack.click(
        user,
        {
          ts: '1.1',
          channel: world.channel,
          user: 'B',
          text: '',
          edited: 0,
          blocks: [
            { type: 'actions', elements: [{ type: 'button', action_id: 'run:status', value: 'status' }] },
          ],
        },
        'run:status',
      ),
  ],
  [
    'a mention',
    () =>
      world.slack.event({
        type: 'app_mention',
        user: user.id,
        channel: world.channel,
        text: '<@UBOT> status',
        ts: '2.2',
      }),
  ],
])('a busy bot answers %s privately', async (_what, act) => {
  const before = world.slack.whispers(user, world.channel).length;
  expect((await act()).status).toBe(200);
  const told = await world.slack.until(() => world.slack.whispers(user, world.channel)[before]);
  expect(textOf(told)).toBe(en.failure.busy);
});
