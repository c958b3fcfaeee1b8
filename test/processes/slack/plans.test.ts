// Covers live deploys in workspaces with and without `plan` blocks, and the picture of usage on request.
import { pings, violations, type DoubleMessage } from '@pressroom/testkit/slack';
import { afterEach, expect, test } from 'vitest';
import { makeWorld, publish, startTask, textOf, told, type World } from './world.ts';

let world: World;
afterEach(() => world[Symbol.asyncDispose]());

const DAY = 24 * 3_600_000;
const live = () => world.slack.inChannel(world.channel).filter(({ metadata }) => metadata !== undefined);
const typesOf = (message: DoubleMessage) => message.blocks.map(({ type }) => String(type));
const refusals = () =>
  world.slack.space.calls.filter(
    ({ method, result }) => method.startsWith('chat') && result === 'invalid_blocks',
  );

test('a workspace without plans gets plain blocks, and is tried again after a day', async () => {
  world = await makeWorld({ plans: false });
  const person = await world.server.person('publisher');
  const user = await world.linked(person);
  const { guid } = await publish(person, 'report');
  await world.say(user, 'subscribe report');
  /** Starts a deploy that shows a line of output. */
  const deploying = async (line: string) => {
    const task = await startTask(world, person, guid);
    await told(world);
    task.stage('start');
    task.log(line);
    const message = await world.slack.until(() => live().find((one) => textOf(one).includes(line)));
    return { task, message };
  };
  const first = await deploying('a line');
  expect(typesOf(first.message)).not.toContain('plan');
  // Shows all steps and the current one.
  expect(textOf(first.message)).toMatch(/✓ [^]*›[^]*\*Building …\*/);
  expect(violations(first.message)).toEqual([]);
  expect(pings(first.message)).toEqual([]);
  expect(live()).toHaveLength(1);
  expect(refusals()).toHaveLength(1);
  await first.task.end();
  await world.bot.idle();
  expect(textOf(first.message)).toContain('is live');

  const second = await deploying('another line');
  expect(textOf(second.message)).toContain('*Building …*');
  expect(refusals()).toHaveLength(1);
  await second.task.end('broken');
  await world.bot.idle();
  expect(textOf(second.message)).toContain('failed to deploy');
  expect(live()).toHaveLength(2);

  // Slack has enabled plans for the workspace meanwhile.
  world.slack.faults.plans = true;
  world.later(DAY + 1);
  const before = world.slack.space.calls.length;
  await world.say(user, 'deploy report');
  await world.bot.idle();
  const sent = world.slack.space.calls.slice(before).map(({ args }) => JSON.stringify(args));
  expect(sent).toContainEqual(expect.stringMatching(/type\\*":\\*"plan/));
  expect(refusals()).toHaveLength(1);
  expect(live().map(textOf).at(-1)).toContain('is live');
});

test('a plan rejected during the deploy becomes plain blocks in the same message', async () => {
  world = await makeWorld();
  const person = await world.server.person('publisher');
  const user = await world.linked(person);
  const { guid } = await publish(person, 'report');
  await world.say(user, 'subscribe report');
  const task = await startTask(world, person, guid);
  await told(world);
  const message = await world.slack.until(() => live()[0]);
  expect(typesOf(message)).toContain('plan');
  world.slack.faults.plans = false;
  task.stage('start');
  task.log('Launching');
  await world.slack.until(() => textOf(message).includes('Launching'));
  expect(typesOf(message)).not.toContain('plan');
  expect(textOf(message)).toContain('*Building …*');
  await task.end();
  await world.bot.idle();
  expect(live().map(textOf)).toEqual([expect.stringContaining('is live')]);
});

test('usage --picture posts a picture with the table, even where charts work', async () => {
  world = await makeWorld();
  const person = await world.server.person('publisher');
  const user = await world.linked(person);
  const { guid } = await publish(person, 'report');
  // Without data, neither a picture nor a file.
  const empty = await world.say(user, 'usage report --picture');
  expect(typesOf(empty)).not.toContain('image');
  expect(world.slack.space.files.size).toBe(0);
  const visit = { content_guid: guid, time: Date.now() * 1000, bundle_id: 1, data_version: 1 };
  await world.server.running.services.storage.db
    .insertInto('visit')
    .values(
      [person.guid, null].map((user_guid) => ({
        ...visit,
        user_guid,
        rendering_id: null,
        variant_key: null,
      })),
    )
    .execute();
  for (const line of [
    'usage report --picture',
    'usage --picture --by user',
    'usage report --picture --last 90d --by week',
  ]) {
    world.slack.space.files.clear();
    const message = await world.say(user, line);
    expect(typesOf(message), line).toContain('image');
    expect(typesOf(message), line).toContain('table');
    expect(typesOf(message), line).not.toContain('data_visualization');
    expect(violations(message)).toEqual([]);
    const [file] = [...world.slack.space.files.values()];
    expect(file!.name).toBe('usage.png');
    expect(JSON.stringify(message.blocks)).toContain(file!.id);
    const [width, height] = [file!.bytes.readUInt32BE(16), file!.bytes.readUInt32BE(20)];
    expect(file!.bytes.subarray(1, 4).toString()).toBe('PNG');
    expect([width > 800, height > 400], `${width} × ${height}`).toEqual([true, true]);
  }
  // A request for a picture does not change what the workspace is known to support.
  expect(typesOf(await world.say(user, 'usage report'))).toContain('data_visualization');
  // If Slack rejects the file, the table is sent alone.
  world.slack.faults.words['files.completeUploadExternal'] = ['posting_to_channel_denied'];
  const plain = await world.say(user, 'usage report --picture');
  expect(typesOf(plain)).toContain('table');
  expect(typesOf(plain)).not.toContain('image');
});
