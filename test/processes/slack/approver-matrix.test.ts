// Covers who gets what of a bundle that named people and groups approve: every command, button and subscription, as
// each person. Expected values are typed by hand.
import { type Person, upload } from '@pressroom/testkit';
import type { DoubleMessage, DoubleUser } from '@pressroom/testkit/slack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeWorld, publish, textOf, told, type World } from './world.ts';

/** The author is named, too, but nobody approves their own upload. A member is named through a group. */
const ROLES = [
  'owner',
  'author',
  'collaborator',
  'named',
  'member',
  'viewer',
  'stranger',
  'administrator',
  'unlinked',
] as const;
type Role = (typeof ROLES)[number];

/** `+` is answered, `x` refused, `-` not found, `?` offered to link an account. Columns as in ROLES. */
const BEFORE: Readonly<Record<string, string>> = {
  'releases guarded': '+ + + + + x - + ?',
  'changes guarded --bundle 2': '+ + + + + x - x ?',
  'deploy guarded --bundle 2': 'x x x x x x - x ?',
  'approve guarded --bundle 2': 'x x x + + x - x ?',
};
const BUTTONS: Readonly<Record<string, string>> = {
  'run:releases': '+ + + + + x - + ?',
  'run:changes': '+ + + + + x - x ?',
  'run:approve': 'x x x + + x - x ?',
};
/**
 * The message about the pending approval, by the channel's subscriber: `+` with approvers, `x` without, `-` no message.
 */
const SUBSCRIPTIONS = '+ + + + + x - + -';

let world: World;
let people: Readonly<Record<Exclude<Role, 'unlinked'>, Person>>;
const users = {} as Record<Role, DoubleUser>;
let guid: string;

beforeAll(async () => {
  world = await makeWorld({ rates: false });
  const publisher = () => world.server.person('publisher');
  people = {
    owner: await publisher(),
    author: await publisher(),
    collaborator: await publisher(),
    named: await publisher(),
    member: await publisher(),
    viewer: await world.server.person('viewer'),
    stranger: await publisher(),
    administrator: await world.server.person('administrator'),
  };
  for (const [role, person] of Object.entries(people)) users[role as Role] = await world.linked(person, role);
  users.unlinked = world.slack.user('unlinked');
  const { owner, author, named, member, administrator } = people;
  ({ guid } = await publish(owner, 'guarded', 1, { access_type: 'acl' }));
  for (const role of ['author', 'collaborator', 'named', 'member', 'viewer'] as const) {
    const body = {
      principal_guid: people[role].guid,
      principal_type: 'user',
      role: role === 'viewer' ? 'viewer' : 'owner',
    };
    await owner.call('POST', `/v1/content/${guid}/permissions`, { body });
  }
  const group = (await administrator.call('POST', '/v1/groups', { body: { name: 'reviewers' } })).body.guid;
  await administrator.call('POST', `/v1/groups/${group}/members`, { body: { user_guid: member.guid } });
  const approvers = [
    { principal_guid: author.guid, principal_type: 'user' },
    { principal_guid: named.guid, principal_type: 'user' },
    { principal_guid: group, principal_type: 'group' },
  ];
  const rule = { body: { approvals: 2, approvers } };
  const set = await owner.call('PUT', `/v1/content/${guid}/approval-rule`, rule);
  if (set.status !== 200) throw new Error('the rule was not set');
  for (const role of ROLES) {
    const line = role === 'administrator' ? 'subscribe guarded' : 'subscribe --all';
    const channel = world.slack.channel(`of-${role}`);
    await world.slack.command(users[role], channel, line);
    await world.slack.until(() => world.slack.whispers(users[role], channel)[0]);
    channels[role] = channel;
  }
  await ask('2');
});
afterAll(() => world[Symbol.asyncDispose]());
const channels = {} as Record<Role, string>;

/** Uploads a bundle as the author, and requests its approval. */
async function ask(id: string): Promise<void> {
  const uploaded = await upload(people.author, guid, { 'index.html': `<p>${id}` });
  if (uploaded !== id) throw new Error('another bundle than expected');
  await people.author.call('POST', `/v1/content/${guid}/deploy`, { body: { bundle_id: id } });
  await told(world);
  await world.bot.idle();
}

function kindOf(text: string): string {
  if (text.startsWith('This requires your account')) return '?';
  if (text.startsWith('No content that you can see')) return '-';
  return /^:warning: \*.* failed\*|^You do not have permission|has no bundle \d+\.$/.test(text) ? 'x' : '+';
}

async function everybody(
  act: (role: Role) => Promise<DoubleMessage>,
  roles: readonly Role[] = ROLES,
): Promise<[string, string]> {
  const seen: string[] = [];
  const said: string[] = [];
  for (const role of roles) {
    const text = textOf(await act(role));
    seen.push(kindOf(text));
    said.push(`${role}: ${text.slice(0, 120)}`);
  }
  await world.bot.idle();
  return [seen.join(' '), said.join('\n')];
}

test('channels see a release as far as their subscriber may', () => {
  const seen = ROLES.map((role) => {
    const message = world.slack.inChannel(channels[role]).find((one) => textOf(one).includes('waits'));
    if (message === undefined) return '-';
    return textOf(message).includes('Can approve') ? '+' : 'x';
  });
  expect(seen.join(' ')).toBe(SUBSCRIPTIONS);
});

test.each(Object.entries(BEFORE))('%s', async (line, expected) => {
  const [seen, said] = await everybody((role) => world.say(users[role], line));
  expect(seen, said).toBe(expected);
});

test.each(Object.entries(BUTTONS))('%s on the message in the owner’s channel', async (action, expected) => {
  // A new bundle voids the approvals of the previous one.
  if (action === 'run:releases') await ask('3');
  const shown = world.slack
    .inChannel(channels.owner)
    .findLast((one) => textOf(one).includes('Bundle 3') && textOf(one).includes('waits'))!;
  // A copy, the same for all: the first approval sooner or later changes the buttons.
  const message = structuredClone(shown);
  const [seen, said] = await everybody((role) => world.press(users[role], message, action));
  expect(seen, said).toBe(expected);
});

test('an approved bundle goes live for deployers, and every channel names the approvers', async () => {
  // One deploy, announced in every channel.
  const deploy = (role: Role) => world.say(users[role], 'deploy guarded --bundle 3');
  const [seen, said] = await everybody(deploy, ['viewer', 'stranger', 'unlinked', 'author']);
  expect(seen, said).toBe('x - ? +');
  await told(world);
  await world.bot.idle();
  const message = world.slack.inChannel(channels.owner).findLast((one) => textOf(one).includes('Bundle 3'))!;
  for (const role of ['named', 'member'] as const)
    expect(textOf(message)).toContain(`${people[role].username} approved it`);
});
