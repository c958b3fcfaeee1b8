// Covers scheduled renderings in subscribed channels, with the rights of the subscriber.
import {
  finishedTask,
  makeQuickRenderer,
  publish,
  QUICK_DOCUMENT,
  quickDocument,
  upload,
  type Person,
} from '@pressroom/testkit';
import type { DoubleUser } from '@pressroom/testkit/slack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeWorld, textOf, told, type World } from './world.ts';

const stack = new AsyncDisposableStack();
let world: World;
let owner: Person;
let user: DoubleUser;
let guid: string;
beforeAll(async () => {
  const { settings } = stack.use(await makeQuickRenderer());
  world = stack.use(
    await makeWorld({ rates: false, settings: { ...settings, 'Applications.Pictures': true } }),
  );
  owner = await world.server.person('publisher');
  user = await world.linked(owner);
  const fields = { name: 'sales', title: 'Sales' };
  const report = quickDocument('print(region)', { region: 'North' });
  ({ guid } = await publish(owner, report, { metadata: QUICK_DOCUMENT, fields }));
});
afterAll(() => stack.disposeAsync());

const at = (path: string) => `/v1/content/${guid}${path}`;

test('a channel gets the scheduled renderings of a public variant it subscribed to', async () => {
  const body = { name: 'South', values: { region: 'South' }, schedule: { cron: '0 6 1 1 *' } };
  const { key, task_id } = (await owner.call('POST', at('/variants'), { body })).body;
  expect(await finishedTask(owner, task_id)).toMatchObject({ code: 0 });
  const subscribe = () => world.say(user, 'subscribe sales renderings --variant south');
  expect(textOf(await subscribe())).toContain('is private');
  await owner.call('PATCH', at(`/variants/${key}`), { body: { visibility: 'public' } });
  expect(textOf(await subscribe())).toContain('scheduled renderings of South');
  // As if the schedule were due.
  const { db } = world.server.running.services.storage;
  await db.updateTable('schedule').set({ next_time: 1 }).where('variant_key', '=', key).execute();
  const message = await world.slack.until(() =>
    world.slack.space.messages.find(({ text }) => text === 'Sales: South was rendered'),
  );
  expect(message.channel).toBe(world.channel);
  expect(textOf(message)).toMatch(/Sales: South.*was rendered.*region = South/s);
  expect(JSON.stringify(message.blocks)).toContain('"type":"image"');
  expect(JSON.stringify(message.blocks)).toContain(`/content/${guid}/_variant/${key}/`);
});

test('a rendering that is held is asked about in a message of its own, not called a failure', async () => {
  const code = 'import os\nprint("What readers want to know. " * int(os.environ.get("TIMES", 40)))';
  const fields = { name: 'stock', title: 'Stock' };
  const report = quickDocument(code, { region: 'North' });
  const { guid: stock } = await publish(owner, report, { metadata: QUICK_DOCUMENT, fields });
  const run = async (path: string, body: object = {}) =>
    finishedTask(owner, (await owner.call('POST', `/v1/content/${stock}${path}`, { body })).body.task_id);
  const posted = () => world.slack.inChannel(channel).filter(({ metadata }) => metadata !== undefined);
  const settled = async () => {
    await told(world);
    await world.bot.idle();
  };
  await owner.call('PUT', `/v1/content/${stock}/canary-rule`, { body: { shrink_limit: 50 } });
  const values = { name: 'South', values: { region: 'South' }, visibility: 'public' };
  const made = await owner.call('POST', `/v1/content/${stock}/variants`, { body: values });
  await finishedTask(owner, made.body.task_id);
  const channel = world.slack.channel('stock');
  await world.slack.command(user, channel, 'subscribe stock');
  await world.slack.until(() => world.slack.whispers(user, channel)[0]);
  // A client that deploys a draft first.
  const bundle = await upload(owner, stock, report, QUICK_DOCUMENT);
  await run('/deploy', { bundle_id: bundle, activate: false });
  expect(await run('/deploy', { bundle_id: bundle })).toMatchObject({ code: 0 });
  await settled();
  await world.slack.until(() => posted()[0]?.text === `Bundle ${bundle} of Stock is live`);
  // The variant is rendered from the new bundle after the deploy: not with the variable that follows.
  const jobs = async () => (await owner.call('GET', `/v1/content/${stock}/jobs`)).body;
  const rendered = { variant_id: made.body.key, bundle_id: bundle, outcome: 'succeeded' };
  await expect.poll(jobs).toContainEqual(expect.objectContaining(rendered));
  await owner.call('PATCH', `/v1/content/${stock}/environment`, { body: [{ name: 'TIMES', value: '1' }] });
  expect(await run('/render')).toMatchObject({ code: 22 });
  await settled();
  expect(posted().map(({ text }) => text)).toEqual([
    `Bundle ${bundle} of Stock is live`,
    `Bundle ${bundle} of Stock is held for review`,
  ]);
  expect(JSON.stringify(posted()[1]!.blocks)).toMatch(/run:deploy[^]*Open draft/);
  expect(await run(`/variants/${made.body.key}/render`)).toMatchObject({ code: 22 });
  await settled();
  expect(posted()[2]!.text).toBe('A rendering of a variant of Stock is held for review');
  expect(posted()).toHaveLength(3);
});

test('logs shows the last rendering of a document, also one after its deploy', async () => {
  const fields = { name: 'rates', title: 'Rates' };
  const report = quickDocument(
    'import os, sys\nprint("for", os.environ.get("WHO", "nobody"), file=sys.stderr)',
  );
  const { guid: rates } = await publish(owner, report, { metadata: QUICK_DOCUMENT, fields });
  const logs = async () => textOf(await world.say(user, 'logs rates'));
  expect(await logs()).toMatch(/Rates.*succeeded.*for nobody/s);
  const variables = [{ name: 'WHO', value: 'everybody' }];
  await owner.call('PATCH', `/v1/content/${rates}/environment`, { body: variables });
  const { task_id } = (await owner.call('POST', `/v1/content/${rates}/render`, { body: {} })).body;
  expect(await finishedTask(owner, task_id)).toMatchObject({ code: 0 });
  expect(await logs()).toMatch(new RegExp(`task ${task_id} succeeded.*The new rendering is shown`, 's'));
});
