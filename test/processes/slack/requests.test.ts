// Covers requests for access and for the publisher role: deciders are asked once in direct messages, and all learn the outcome.
import type { Person } from '@pressroom/testkit';
import type { DoubleMessage, DoubleUser } from '@pressroom/testkit/slack';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { endRequests } from '../../../packages/server/src/content/access-requests/expire.ts';
import { makeWorld, publish, textOf, told, type World } from './world.ts';

let world: World;
let owner: Person;
let colleague: Person;
let users: Readonly<Record<'owner' | 'colleague' | 'reader' | 'admin', DoubleUser>>;
let guest: Person;
let asking: DoubleUser;
let guid: string;
let admin: Person;
let next = 0;

beforeAll(async () => {
  world = await makeWorld({ rates: false });
  owner = await world.server.person('publisher');
  colleague = await world.server.person('publisher');
  admin = await world.server.person('administrator', { email: 'admin@example.com' });
  const reader = await world.server.person('viewer');
  users = {
    owner: await world.linked(owner),
    colleague: await world.linked(colleague),
    reader: await world.linked(reader),
    admin: await world.linked(admin),
  };
  ({ guid } = await publish(owner, 'plans', 1, { access_type: 'acl' }));
  for (const [person, role] of [
    [colleague, 'owner'],
    [reader, 'viewer'],
  ] as const)
    await owner.call('POST', `/v1/content/${guid}/permissions`, {
      body: { principal_guid: person.guid, principal_type: 'user', role },
    });
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(async () => {
  guest = await world.server.person('viewer', { username: `guest${(next += 1)}`, first_name: 'Gus' });
  asking = await world.linked(guest);
});

const path = () => `/v1/content/${guid}/access-requests`;

async function ask(message = 'For the report'): Promise<string> {
  const { body } = await guest.call('POST', path(), { body: { message } });
  await settled();
  return body.id as string;
}

async function settled(): Promise<void> {
  await told(world);
  await world.bot.idle();
}

/** Returns the direct messages about the guest in their current state. */
function direct(user: DoubleUser): DoubleMessage[] {
  return world.slack.space.messages.filter(
    (message) =>
      message.channel === `D${user.id}` && !message.only && JSON.stringify(message).includes(guest.username),
  );
}

const toRequester = () =>
  world.slack.space.messages.filter(({ channel, only }) => channel === `D${asking.id}` && !only).map(textOf);

test('only people who may grant access get the request, and all see who granted it', async () => {
  await ask();
  const [toOwner] = direct(users.owner);
  const [toColleague] = direct(users.colleague);
  for (const message of [toOwner, toColleague]) {
    expect(textOf(message!)).toContain(`*Gus (${guest.username})* asks for access to *`);
    expect(textOf(message!)).toContain('For the report');
  }
  expect([direct(users.reader), direct(users.admin)]).toEqual([[], []]);
  await world.slack.click(users.colleague, toColleague!, 'request:grant');
  await world.bot.idle();
  await settled();
  expect((await guest.call('GET', `/v1/content/${guid}`)).body.app_role).toBe('viewer');
  for (const user of [users.owner, users.colleague]) {
    expect(direct(user)).toHaveLength(1);
    expect(textOf(direct(user)[0]!)).toContain(`Granted as viewer by ${colleague.username}`);
    expect(JSON.stringify(direct(user)[0]!.blocks)).not.toContain('request:');
  }
  expect(toRequester()).toEqual([expect.stringMatching(/^:white_check_mark: You have access to \*.*plans/)]);
});

test('a press makes the requester a collaborator, once they may publish', async () => {
  await ask();
  const refused = await world.press(users.owner, direct(users.owner)[0]!, 'request:collaborate');
  expect(textOf(refused)).toContain('without publish permission');
  await admin.call('PUT', `/v1/users/${guest.guid}`, { body: { user_role: 'publisher' } });
  await world.slack.click(users.owner, direct(users.owner)[0]!, 'request:collaborate');
  await world.bot.idle();
  await settled();
  expect(textOf(direct(users.owner)[0]!)).toContain(`Granted as collaborator by ${owner.username}`);
  expect((await guest.call('GET', `/v1/content/${guid}`)).body.app_role).toBe('editor');
});

test('a decision made elsewhere updates the messages, and a decline names only the address', async () => {
  const id = await ask();
  expect(await owner.call('PUT', `${path()}/${id}`, { body: { decision: 'decline' } })).toMatchObject({
    status: 204,
  });
  // The message as it was before the bot knew of the decision.
  const stale = direct(users.colleague)[0]!;
  await world.slack.click(
    users.colleague,
    {
      ...stale,
      blocks: [
        {
          type: 'actions',
          elements: [{ type: 'button', action_id: 'request:grant', value: `access ${guid} ${id}` }],
        },
      ],
    },
    'request:grant',
  );
  await settled();
  const whisper = await world.slack.until(() => world.slack.whispers(users.colleague, stale.channel).at(-1));
  expect(textOf(whisper)).toContain('answered already');
  expect((await guest.call('GET', `/v1/content/${guid}`)).status).toBe(403);
  for (const user of [users.owner, users.colleague])
    expect(textOf(direct(user)[0]!)).toContain(`Declined by ${owner.username}`);
  expect(toRequester()).toEqual([expect.stringContaining(`/content/${guid}/`)]);
  expect(toRequester()[0]).not.toContain('plans');
});

test('deciding requires the right at the time of the press', async () => {
  const id = await ask();
  const [message] = direct(users.colleague);
  const { body } = await owner.call('GET', `/v1/content/${guid}/permissions`);
  const permission = body.find((one: { principal_guid: string }) => one.principal_guid === colleague.guid);
  await owner.call('DELETE', `/v1/content/${guid}/permissions/${permission.id}`);
  const refused = await world.press(users.colleague, message!, 'request:grant');
  expect(textOf(refused)).toContain('Granting the request failed');
  await owner.call('PUT', `${path()}/${id}`, { body: { decision: 'grant' } });
  await settled();
  expect(textOf(world.slack.space.messages.find(({ ts }) => ts === message!.ts)!)).toBe(
    'This request is closed.',
  );
  expect(textOf(direct(users.owner)[0]!)).toContain('Granted as viewer by');
  const again = { principal_guid: colleague.guid, principal_type: 'user', role: 'owner' };
  await owner.call('POST', `/v1/content/${guid}/permissions`, { body: again });
});

test('a request decided during an outage of Slack is not posted', async () => {
  world.slack.faults.down = true;
  const { body } = await guest.call('POST', path(), { body: {} });
  await told(world);
  await owner.call('PUT', `${path()}/${body.id}`, { body: { decision: 'grant' } });
  await told(world);
  world.slack.faults.down = false;
  await world.bot.idle();
  expect([direct(users.owner), direct(users.colleague)]).toEqual([[], []]);
  expect(toRequester()).toHaveLength(1);
});

test('a restarted bot continues without duplicates', async () => {
  const id = await ask();
  await world.restartBot();
  await owner.call('PUT', `${path()}/${id}`, { body: { decision: 'grant' } });
  await settled();
  expect(direct(users.owner)).toHaveLength(1);
  expect(textOf(direct(users.owner)[0]!)).toContain('Granted as viewer by');
});

test('`requests` lists open requests with buttons to decide', async () => {
  await ask('<!channel> please');
  const list = await world.say(users.owner, 'requests');
  expect(textOf(list)).toMatch(/^1 open request\n/);
  expect(textOf(list)).toContain('> &lt;');
  expect(textOf(await world.say(users.reader, 'requests'))).toBe('No open requests.');
  expect(textOf(await world.press(users.owner, list, 'request:decline'))).toBe('Request declined.');
  await settled();
  expect(textOf(direct(users.owner)[0]!)).toContain(`Declined by ${owner.username}`);
});

test('requests expire after 30 days: buttons disappear, and the requester is notified', async () => {
  await ask();
  await world.server.running.services.storage.db
    .updateTable('access_request')
    .set({ created_time: Date.now() * 1000 - 31 * 24 * 3_600_000_000 })
    .where('user_guid', '=', guest.guid)
    .execute();
  expect(await endRequests(world.server.running.services, world.server.url)).toBe(1);
  await settled();
  for (const user of [users.owner, users.colleague]) {
    expect(direct(user)).toHaveLength(1);
    expect(textOf(direct(user)[0]!)).toContain('nobody answered in 30 days');
    expect(JSON.stringify(direct(user)[0]!.blocks)).not.toContain('request:');
  }
  expect(toRequester()).toEqual([
    expect.stringContaining('Nobody answered your request for access in 30 days'),
  ]);
  expect(toRequester()[0]).not.toContain('plans');
});

test('administrators get requests for the publisher role, and grant them with a press', async () => {
  await guest.call('POST', '/v1/role-requests', { body: { message: 'For my team' } });
  await settled();
  const [message] = direct(users.admin);
  expect(textOf(message!)).toContain('asks to become a publisher\n> For my team');
  expect(direct(users.owner)).toEqual([]);
  await world.slack.click(users.admin, message!, 'request:grant');
  await world.bot.idle();
  await settled();
  expect((await guest.call('GET', '/v1/user')).body.user_role).toBe('publisher');
  expect(textOf(direct(users.admin)[0]!)).toContain('Made publisher by');
  expect(toRequester()).toEqual(['You are a publisher now.']);
});
