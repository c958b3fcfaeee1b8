// Covers a release that is withdrawn, and a draft that ends: its message in Slack says why, and has no buttons.
import { grant, holdDeploys, upload, type Person } from '@pressroom/testkit';
import type { DoubleMessage, DoubleUser } from '@pressroom/testkit/slack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeWorld, publish, textOf, told, type World } from './world.ts';

let world: World;
let owner: Person;
let other: Person;
let user: DoubleUser;
let colleague: DoubleUser;

beforeAll(async () => {
  world = await makeWorld({ rates: false });
  [owner, other] = [await world.server.person('publisher'), await world.server.person('publisher')];
  user = await world.linked(owner);
  colleague = await world.linked(other);
});
afterAll(() => world[Symbol.asyncDispose]());

const messages = () => world.slack.inChannel(world.channel).filter(({ metadata }) => metadata !== undefined);
const settled = async () => {
  await told(world);
  await world.bot.idle();
};

/** Content of which a bundle waits, and the message about it. */
async function waiting(name: string): Promise<{ guid: string; bundle: string; message: DoubleMessage }> {
  const { guid } = await publish(owner, name);
  await grant(owner, guid, other, 'owner');
  await world.say(user, `subscribe ${name}`);
  await owner.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals: 1 } });
  const bundle = await ask(guid);
  await settled();
  const message = messages().at(-1)!;
  expect(JSON.stringify(message.blocks)).toContain('run:approve');
  return { guid, bundle, message };
}
async function ask(guid: string): Promise<string> {
  const bundle = await upload(owner, guid, { 'index.html': `<p>${crypto.randomUUID()}</p>` });
  await owner.call('POST', `/v1/content/${guid}/deploy`, { body: { bundle_id: bundle } });
  return bundle;
}

test.each<[string, string, (guid: string, bundle: string) => Promise<unknown>]>([
  ['newer', 'bundle \\d+ is to be released', ask],
  [
    'bundle',
    'its bundle was deleted',
    (guid, bundle) => owner.call('DELETE', `/v1/content/${guid}/bundles/${bundle}`),
  ],
  [
    'rule',
    'no approval is needed any more',
    (guid) => owner.call('DELETE', `/v1/content/${guid}/approval-rule`),
  ],
  ['content', 'its content was deleted', (guid) => owner.call('DELETE', `/v1/content/${guid}`)],
])('withdrawn (%s): the message says why', async (name, reason, withdraw) => {
  const { guid, bundle, message } = await waiting(name);
  await withdraw(guid, bundle);
  await settled();
  expect(textOf(message)).toMatch(
    new RegExp(
      `The release of bundle ${bundle} of [^]*${name}[^]* was withdrawn[^]*${owner.username}[^]*withdrew it [^]*: ${reason}`,
    ),
  );
  expect(JSON.stringify(message.blocks)).not.toContain('"button"');
});

test('the channel sees it although nobody may see the content through it any more', async () => {
  const { guid, message } = await waiting('unsubscribed');
  await world.say(user, 'unsubscribe unsubscribed');
  await owner.call('DELETE', `/v1/content/${guid}`);
  await settled();
  expect(textOf(message)).toContain('was withdrawn');
});

test.each([
  ['unsubscribe left', 'unsubscribe left'],
  ['a subscription without deploys', 'subscribe left failures'],
])('after %s, an open release says that it is not followed, and nothing more comes', async (_what, line) => {
  const { guid, bundle, message } = await waiting('left');
  await world.say(user, line);
  await settled();
  expect(textOf(message)).toMatch(
    new RegExp(`^:mute: This channel gets no more news of bundle ${bundle} of [^]*asked for approval`),
  );
  expect(JSON.stringify(message.blocks)).not.toContain('"button"');
  const { edited } = message;
  const count = world.slack.space.messages.filter(({ channel }) => channel === world.channel).length;
  await other.call('POST', `/v1/content/${guid}/releases/${bundle}/approve`);
  await settled();
  expect(message.edited).toBe(edited);
  expect(world.slack.space.messages.filter(({ channel }) => channel === world.channel)).toHaveLength(count);
  // Subscribed again, the next step shows all.
  await world.say(user, 'subscribe left');
  await owner.call('POST', `/v1/content/${guid}/deploy`, { body: { bundle_id: bundle } });
  await settled();
  expect(textOf(message)).toMatch(new RegExp(`Bundle ${bundle} of [^]* is live`));
  await owner.call('DELETE', `/v1/content/${guid}`);
  await settled();
});

test('a release that another subscription of the channel includes stays as it is', async () => {
  const { guid, message } = await waiting('twice-followed');
  await world.say(user, 'subscribe --owner me');
  await world.say(user, 'unsubscribe twice-followed');
  await settled();
  expect(JSON.stringify(message.blocks)).toContain('run:approve');
  await world.say(user, 'unsubscribe --owner me');
  await settled();
  expect(JSON.stringify(message.blocks)).not.toContain('"button"');
  await owner.call('DELETE', `/v1/content/${guid}`);
  await settled();
});

test('a press shows that approvals became invalid, and who can approve now', async () => {
  const { guid, bundle, message } = await waiting('stale');
  await world.press(colleague, message, 'run:approve');
  await settled();
  expect(textOf(message)).toContain('is approved');
  await owner.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals: 2 } });
  const refused = await world.press(user, message, 'run:deploy');
  expect(textOf(refused)).toContain(`bundle ${bundle} needs 1 more approval`);
  await world.bot.idle();
  expect(textOf(message)).toContain('waits for approval');
  expect(JSON.stringify(message.blocks)).toContain('run:approve');
});

const drafted = async (guid: string, preview?: string) => {
  const bundle = await upload(owner, guid, { 'index.html': `<p>${crypto.randomUUID()}</p>` });
  const { body } = await owner.call('POST', `/v1/content/${guid}/deploy`, {
    body: { bundle_id: bundle, activate: false, ...(preview !== undefined && { preview }) },
  });
  await owner.call('GET', `/v1/tasks/${body.task_id}?wait=20`);
  await settled();
  return bundle;
};

test.each<[string, string, (guid: string, bundle: string) => Promise<unknown>]>([
  [
    'discarded',
    'publisher\\d+ discarded it',
    (guid, bundle) => owner.call('DELETE', `/v1/content/${guid}/drafts/${bundle}`),
  ],
  ['replaced', 'bundle \\d+ is the preview branch now', (guid) => drafted(guid, 'branch')],
  [
    'bundle deleted',
    'its bundle was deleted',
    (guid, bundle) => owner.call('DELETE', `/v1/content/${guid}/bundles/${bundle}`),
  ],
  ['content deleted', 'its content was deleted', (guid) => owner.call('DELETE', `/v1/content/${guid}`)],
])('an ended draft (%s): the message says why, and offers it no more', async (name, reason, end) => {
  const title = `draft ${name}`;
  const { guid } = await publish(owner, title.replaceAll(' ', '-'));
  await world.say(user, `subscribe ${title.replaceAll(' ', '-')}`);
  const bundle = await drafted(guid, 'branch');
  const message = messages().at(-1)!;
  expect(JSON.stringify(message.blocks)).toContain('run:deploy');
  await end(guid, bundle);
  await settled();
  expect(textOf(message)).toMatch(new RegExp(`The draft of bundle ${bundle} of [^]* ended[^]*: .*${reason}`));
  expect(JSON.stringify(message.blocks)).not.toMatch(/run:|Open draft/);
});

test('a withdrawn bundle that is requested again can be approved, and goes live in its message', async () => {
  const { guid, bundle, message } = await waiting('again');
  await ask(guid);
  await settled();
  expect(textOf(message)).toContain('was withdrawn');
  await owner.call('POST', `/v1/content/${guid}/deploy`, { body: { bundle_id: bundle } });
  await settled();
  expect(textOf(message)).toMatch(/waits for approval/);
  await world.press(colleague, message, 'run:approve');
  await settled();
  await world.press(colleague, message, 'run:deploy');
  await settled();
  expect(textOf(message)).toMatch(new RegExp(`Bundle ${bundle} of [^]* is live`));
});

test('a double click on Make live deploys once', async () => {
  const { guid, message } = await waiting('twice');
  await world.press(colleague, message, 'run:approve');
  await settled();
  await Promise.all([1, 2].map(() => world.slack.click(colleague, message, 'run:deploy')));
  await settled();
  const deploys = (await owner.call('GET', `/v1/content/${guid}/deploys`)).body;
  // With the one that published it.
  expect(deploys).toHaveLength(2);
});

test('two people who press Make live at once deploy once, and the second sees who was first', async () => {
  const { guid, bundle, message } = await waiting('both');
  await world.press(colleague, message, 'run:approve');
  await settled();
  const release = await holdDeploys(world.server, owner, guid);
  const responses = await Promise.all(
    [user, colleague].map((one) => world.press(one, message, 'run:deploy')),
  );
  const [first, second] = responses.map(textOf).toSorted((a) => (a.startsWith('Deploying') ? -1 : 1));
  const task = /task ([^)]+)/.exec(first ?? '')?.[1];
  expect(first).toContain('Deploying *both*');
  expect(second).toMatch(
    new RegExp(`^(${owner.username}|${other.username}) already started the deploy \\(task ${task}\\)`),
  );
  release();
  await settled();
  const deploys = (await owner.call('GET', `/v1/content/${guid}/deploys`)).body;
  expect(deploys.filter((one: { bundle_id: string }) => one.bundle_id === bundle)).toHaveLength(1);
});
