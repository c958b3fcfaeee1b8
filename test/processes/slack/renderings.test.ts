// Covers scheduled renderings in subscribed channels, with the rights of the subscriber.
import {
  finishedTask,
  makeQuickRenderer,
  publish,
  QUICK_DOCUMENT,
  quickDocument,
  type Person,
} from '@pressroom/testkit';
import type { DoubleUser } from '@pressroom/testkit/slack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeWorld, textOf, type World } from './world.ts';

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
