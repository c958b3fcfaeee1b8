// Covers a canary in a channel: one message, edited as the canary starts, is rolled back or goes live, with the numbers
// of both sides.
import { grant, makeArchive, publish, type Person } from '@pressroom/testkit';
import type { DoubleUser } from '@pressroom/testkit/slack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeWorld, textOf, told, type World } from './world.ts';

let world: World;
let person: Person;
let user: DoubleUser;
let guid: string;
const API = { appmode: 'python-api', entrypoint: 'app:app' };
const app = (status: string) => ({
  'app.py': `def app(environ, start):\n    start("${status}", [("Content-Type", "text/plain")])\n    return [b"x"]\n`,
});

beforeAll(async () => {
  world = await makeWorld({ rates: false });
  person = await world.server.person('publisher');
  user = await world.linked(person);
  ({ guid } = await publish(person, app('200 OK'), { metadata: API, fields: { name: 'prices' } }));
  await world.slack.command(user, world.channel, 'subscribe prices');
  await world.slack.until(() => world.slack.whispers(user, world.channel)[0]);
});
afterAll(() => world[Symbol.asyncDispose]());

async function begin(status: string): Promise<string> {
  const raw = makeArchive(app(status), { ...API });
  const { id } = (await person.call('POST', `/v1/content/${guid}/bundles`, { raw })).body;
  const body = { bundle_id: id, canary: { share: 50 } };
  const { task_id } = (await person.call('POST', `/v1/content/${guid}/deploy`, { body })).body;
  await person.call('GET', `/v1/tasks/${task_id}?wait=20`);
  await settled();
  return id;
}
async function settled(): Promise<void> {
  await told(world);
  await world.bot.idle();
}
const canary = async () => (await person.call('GET', `/v1/content/${guid}/canary`)).body;
const ofBundle = (id: string) =>
  world.slack.inChannel(world.channel).filter((one) => one.text.includes(`Bundle ${id} of prices`));

test('one message shows that a canary started and was rolled back, with the reason', async () => {
  const id = await begin('500 Failed');
  const [begun, ...others] = ofBundle(id);
  expect(others).toEqual([]);
  expect(textOf(begun!)).toContain(`Bundle ${id} of *`);
  expect(textOf(begun!)).toContain('takes a share of new sessions');
  while ((await canary()).state === 'running') await world.server.anonymous('GET', `//content/${guid}/`);
  await settled();
  const [back] = await world.slack.until(() => {
    const now = ofBundle(id);
    return now[0]?.text.includes('rolled back') ? now : null;
  });
  expect(back!.ts).toBe(begun!.ts);
  const text = textOf(back!);
  expect(text).toMatch(
    /It was rolled back .*: 100 % of its requests failed \(\d+ of \d+\), against 0 % of the live bundle/,
  );
  expect(text).toMatch(
    /\*Canary:\* \d+ requests?, \d+ failed, nine of ten within .*\n\*Live:\* \d+ requests?, 0 failed/,
  );
  expect(text).not.toContain('Make live');
});

test('the same message shows that a canary went live', async () => {
  const id = await begin('200 OK');
  const [begun] = ofBundle(id);
  expect(textOf(begun!)).toContain('Make live');
  const { task_id } = (await person.call('POST', `/v1/content/${guid}/canary/finish`)).body;
  await person.call('GET', `/v1/tasks/${task_id}?wait=20`);
  await settled();
  const live = await world.slack.until(() =>
    world.slack.inChannel(world.channel).find(({ ts, text }) => ts === begun!.ts && text.includes('is live')),
  );
  expect(textOf(live)).toContain(`Bundle ${id} of *`);
});

test('Make live of a message whose canary has ended makes nothing live', async () => {
  const id = await begin('200 OK');
  const begun = structuredClone(ofBundle(id)[0]!);
  const { bundle_id: before } = (await person.call('GET', `/v1/content/${guid}`)).body;
  await person.call('POST', `/v1/content/${guid}/canary/back`, { body: { reason: 'odd' } });
  await settled();
  // The message as it was before.
  await world.slack.click(user, begun, 'run:deploy');
  const said = await world.slack.until(() =>
    world.slack.whispers(user, world.channel).find((one) => textOf(one).includes('has ended')),
  );
  expect(textOf(said)).toContain(`the canary of bundle ${id} has ended: `);
  expect((await person.call('GET', `/v1/content/${guid}`)).body.bundle_id).toBe(before);
});

test('a canary that waits for approval asks who can approve, and is made live after that', async () => {
  const approver = await world.server.person('publisher');
  const other = await world.linked(approver);
  await grant(person, guid, approver, 'owner');
  const id = await begin('200 OK');
  const [message] = ofBundle(id);
  await person.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals: 1 } });
  const { status } = await person.call('POST', `/v1/content/${guid}/canary/finish`);
  expect(status).toBe(403);
  await settled();
  expect(textOf(message!)).toMatch(/takes a share of new sessions[^]*Can approve: <@U\d+>/);
  expect(textOf(message!)).not.toContain('Make live');
  await world.press(other, message!, 'run:approve');
  await settled();
  expect(textOf(message!)).not.toContain('Can approve');
  expect(textOf(message!)).toContain('Make live');
  await world.slack.click(user, message!, 'run:deploy');
  await world.slack.until(() => message!.text.includes('is live'));
  await person.call('DELETE', `/v1/content/${guid}/approval-rule`);
});
