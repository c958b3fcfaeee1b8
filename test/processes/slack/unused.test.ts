// Covers unused content: its owner is asked once in direct messages, and keeps it with one press.
import type { Person } from '@pressroom/testkit';
import type { DoubleUser } from '@pressroom/testkit/slack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { announceUnused } from '../../../packages/server/src/content/unused/announce.ts';
import { makeWorld, publish, textOf, told, type World } from './world.ts';

const DAY = 86_400_000_000;
let world: World;
let owner: Person;
let user: DoubleUser;

beforeAll(async () => {
  world = await makeWorld({ rates: false, settings: { 'Usage.UnusedAfter': 30 * 86_400 } });
  owner = await world.server.person('publisher');
  user = await world.linked(owner);
});
afterAll(() => world[Symbol.asyncDispose]());

/** Publishes content 40 days ago, with a visit of the owner then if `used`. */
async function old(name: string, { used }: { used: boolean }): Promise<string> {
  const { guid } = await publish(owner, name);
  const { db } = world.server.running.services.storage;
  const then = Date.now() * 1000 - 40 * DAY;
  await db
    .updateTable('content')
    .set({ created_time: then, last_deployed_time: then })
    .where('guid', '=', guid)
    .execute();
  if (used) {
    const visit = { user_guid: owner.guid, variant_key: null, rendering_id: null, bundle_id: 1 };
    await db
      .insertInto('visit')
      .values({ content_guid: guid, time: then, path: '/', data_version: 3, ...visit })
      .execute();
  }
  return guid;
}

/** Runs what housekeeping does once a day. */
async function look(): Promise<void> {
  const { services } = world.server.running;
  await announceUnused({ ...services, mailer: null }, world.server.url);
  await told(world);
  await world.bot.idle();
}
const asked = (name: string) =>
  world.slack.space.messages.filter(({ channel, text }) => channel === `D${user.id}` && text.includes(name));

test('the owner is asked once, sees the last user, and keeps the content with a press', async () => {
  const guid = await old('plans', { used: true });
  await look();
  await look();
  const [question, ...more] = asked('plans');
  expect(more).toEqual([]);
  expect(textOf(question!)).toMatch(
    new RegExp(`Nobody uses \\*.*plans.*Last used by ${owner.username} .* published `, 's'),
  );
  expect(JSON.stringify(question!.blocks)).toContain(`${world.server.url}/__dashboard__/unused`);
  const response = await world.press(user, question!, 'unused:keep');
  expect(textOf(response)).toContain('It is kept');
  expect((await owner.call('GET', '/v1/unused-content')).body).toEqual([]);
  const audit = await (await world.server.administrator()).call('GET', '/v1/audit_logs');
  expect(JSON.stringify(audit.body)).toContain(`(${guid}), which nobody used`);
});

test('a user who may not keep the content is rejected at the press', async () => {
  await old('minutes', { used: false });
  await look();
  const [question] = asked('minutes');
  expect(textOf(question!)).toContain('No use is recorded');
  const other = await world.linked(await world.server.person('publisher'));
  const refused = await world.press(other, question!, 'unused:keep');
  expect(textOf(refused)).toContain('Keeping it failed');
  expect((await owner.call('GET', '/v1/unused-content')).body).toHaveLength(1);
});

test('content kept before Slack accepts the message is not asked about', async () => {
  const guid = await old('ledger', { used: false });
  world.slack.faults.down = true;
  await announceUnused({ ...world.server.running.services, mailer: null }, world.server.url);
  await world.slack.until(() =>
    world.slack.space.calls.some(
      ({ method, result }) => method === 'conversations.open' && result === 'down',
    ),
  );
  expect(await owner.call('POST', `/v1/content/${guid}/keep`)).toMatchObject({ status: 204 });
  world.slack.faults.down = false;
  await world.bot.idle();
  expect(asked('ledger')).toEqual([]);
});
