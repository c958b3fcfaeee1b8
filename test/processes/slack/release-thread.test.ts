// Covers a release in one thread: prepared, its audience and changes, with pictures, approved and live.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { grant, makeArchive, upload, type Person } from '@pressroom/testkit';
import type { DoubleUser } from '@pressroom/testkit/slack';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { makeWorld, publish, textOf, told, type World } from './world.ts';

let world: World;
let owner: Person;
let other: Person;
let user: DoubleUser;
let guid: string;

beforeAll(async () => {
  world = await makeWorld({ rates: false, settings: { 'Applications.Pictures': true } });
  [owner, other] = [await world.server.person('publisher'), await world.server.person('publisher')];
  user = await world.linked(owner);
  await world.linked(other);
  ({ guid } = await publish(owner, 'prices'));
  await grant(owner, guid, other, 'owner');
  const { guid: overview } = (await owner.call('POST', '/v1/content', { body: { name: 'overview' } })).body;
  await deploy(overview, {
    bundle_id: await upload(owner, overview, { 'index.html': `<a href="/content/${guid}/">` }),
  });
  await other.call('GET', `//content/${guid}/`);
  await vi.waitFor(async () => {
    const { body: live } = await owner.call('GET', `/v1/content/${guid}`);
    const path = `/v1/content/${guid}/bundles/${live.bundle_id}/release`;
    const { use, links } = (await owner.call('GET', path)).body;
    if (use.total !== 1 || links.total !== 1) throw new Error('not counted yet');
  }, 60_000);
  await world.say(user, 'subscribe prices');
});
afterAll(() => world[Symbol.asyncDispose]());

async function deploy(content: string, body: object): Promise<void> {
  const { task_id } = (await owner.call('POST', `/v1/content/${content}/deploy`, { body })).body;
  if (task_id) await owner.call('GET', `/v1/tasks/${task_id}?wait=20`);
}
async function settled(): Promise<void> {
  await told(world);
  await world.bot.idle();
}
const posted = () => world.slack.inChannel(world.channel).filter(({ metadata }) => metadata !== undefined);
const replies = (ts: string) => world.slack.thread(world.channel, ts);

test('a draft, its changes, the approval and the deploy share one message and thread', async () => {
  await owner.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals: 1 } });
  const id = await upload(owner, guid, { 'index.html': '<h1>prices, anew</h1>', 'more.txt': 'one\ntwo\n' });
  await deploy(guid, { bundle_id: id, activate: false });
  await settled();
  const [root, ...more] = posted();
  expect(more).toEqual([]);
  expect(textOf(root!)).toMatch(/is ready as a draft[^]*began a deploy[^]*draft was ready/);
  expect(JSON.stringify(root!.blocks)).toContain(`/content/${guid}/_bundle${id}/`);

  const [about, screen, ...pictures] = replies(root!.ts);
  expect(textOf(about!)).toMatch(
    /1 person used it in the last 30 days: 1 visit or session\.\nLinks to it: overview[^]*2 files, \+\d+ −1 lines[^]*✏️ index\.html[^]*➕ more\.txt/,
  );
  expect(textOf(screen!)).toMatch(/% of the first screen that a reader sees differs/);
  expect(pictures.flatMap(({ files }) => files?.map(({ name }) => name) ?? [])).toEqual([
    expect.stringMatching(/^bundle-\d+\.png$/),
    `bundle-${id}.png`,
    `difference-${id}.png`,
  ]);

  await deploy(guid, { bundle_id: id });
  await settled();
  expect(textOf(root!)).toMatch(/waits for approval[^]*asked for approval/);
  await other.call('POST', `/v1/content/${guid}/releases/${id}/approve`);
  await deploy(guid, { bundle_id: id });
  await settled();
  expect(posted()).toEqual([root]);
  expect(textOf(root!)).toMatch(/is live[^]*approved it[^]*made it live/);
  expect(JSON.stringify(root!.blocks)).not.toContain('Open draft');
  const after = replies(root!.ts);
  // Posted once.
  expect(after.filter((one) => textOf(one).includes('used it in'))).toHaveLength(1);
  expect(textOf(after.at(-1)!)).toMatch(/prices.*is live/);
});

test('a draft that is made live at once is one message and its thread, however slow Slack is', async () => {
  await owner.call('DELETE', `/v1/content/${guid}/approval-rule`);
  const count = posted().length;
  world.slack.faults.slow = 200;
  const ids: string[] = [];
  // As rsconnect-python deploys.
  for (const price of [1, 2, 3]) {
    const id = await upload(owner, guid, { 'index.html': `<h1>prices</h1>${price}` });
    ids.push(id);
    await deploy(guid, { bundle_id: id, activate: false });
    await deploy(guid, { bundle_id: id });
  }
  await settled();
  world.slack.faults.slow = 0;
  const own = await world.slack.until(() => {
    const now = posted().slice(count);
    return now.length >= 3 && now.every(({ text }) => text.includes('is live')) ? now : null;
  });
  expect(own.map(({ text }) => text)).toEqual(ids.map((id) => `Bundle ${id} of prices is live`));
  for (const { ts } of own) {
    const texts = replies(ts).map(textOf);
    expect(texts.filter((text) => text.includes('is live'))).toHaveLength(1);
    // What followed is not what it was compared with.
    expect(texts.join('\n')).not.toContain('→');
  }
});

test('a bundle that was live and is a draft again has another message, about that draft', async () => {
  const bundles = (await owner.call('GET', `/v1/content/${guid}/bundles`)).body;
  const id = bundles.find(({ active }: { active: boolean }) => active).id;
  await deploy(guid, { bundle_id: await upload(owner, guid, { 'index.html': '<h1>prices</h1>4' }) });
  await settled();
  const before = posted();
  await deploy(guid, { bundle_id: id, activate: false });
  await settled();
  const [again, ...more] = posted().slice(before.length);
  expect(more).toEqual([]);
  expect(again!.text).toBe(`Bundle ${id} of prices is ready as a draft`);
  expect(textOf(again!)).not.toContain('made it live');
  expect(JSON.stringify(again!.blocks)).toMatch(/run:deploy[^]*Open draft/);
  expect(replies(again!.ts).map(textOf).join('\n')).toContain('used it in the last 30 days');
  const [first] = before.filter(({ text }) => text === `Bundle ${id} of prices is live`);
  expect(textOf(first!)).toContain('made it live');
  await deploy(guid, { bundle_id: id });
  await settled();
  await world.slack.until(() => again!.text === `Bundle ${id} of prices is live`);
  expect(posted().length).toBe(before.length + 1);
});

test('a draft that failed says why where the subscriber may see it, and offers its log', async () => {
  const { guid: api } = (
    await owner.call('POST', '/v1/content', { body: { name: 'figures', access_type: 'all' } })
  ).body;
  const reader = await world.linked(await world.server.person('viewer'));
  const elsewhere = world.slack.channel('readers');
  await world.slack.command(reader, elsewhere, 'subscribe figures');
  await world.slack.until(() => world.slack.whispers(reader, elsewhere)[0]);
  await world.say(user, 'subscribe figures');
  const failures = world.slack.channel('failures');
  await world.slack.command(user, failures, 'subscribe figures failures');
  await world.slack.until(() => world.slack.whispers(user, failures)[0]);
  const app = 'import os, time\nwhile not os.path.exists("go"): time.sleep(0.05)\nimport absent\n';
  const raw = makeArchive({ 'app.py': app }, { appmode: 'python-api', entrypoint: 'app:app' });
  const { id } = (await owner.call('POST', `/v1/content/${api}/bundles`, { raw })).body;
  const before = posted().length;
  const body = { bundle_id: id, activate: false };
  const { task_id } = (await owner.call('POST', `/v1/content/${api}/deploy`, { body })).body;
  const task = async (wait = 0) => (await owner.call('GET', `/v1/tasks/${task_id}?wait=${wait}`)).body;
  await expect.poll(async () => (await task()).output).toContainEqual(expect.stringMatching(/^Launching/));
  // If it failed before there is a message, the message would need no reply.
  await world.slack.until(() => posted().length > before);
  const site = join(world.server.dataDir, 'content', api);
  await writeFile(join(site, (await readdir(site))[0]!, 'go'), '');
  await task(20);
  await settled();
  const failed = posted().at(-1)!;
  expect(textOf(failed)).toMatch(/The draft of bundle \d+ of .* failed[^]*No module named 'absent'/);
  expect(textOf(failed)).toContain('requirements.txt must list');
  expect(textOf(await world.press(user, failed, 'run:logs'))).toContain('import absent');
  const inFailures = world.slack.inChannel(failures).filter(({ metadata }) => metadata !== undefined);
  expect(inFailures.map(textOf)).toEqual([expect.stringContaining("No module named 'absent'")]);
  // Who deployed it is mentioned, where the message was there before in a reply: edits notify nobody.
  expect(textOf(inFailures[0]!)).toContain(`<@${user.id}> :x: The draft of bundle ${id}`);
  expect(world.slack.thread(failures, inFailures[0]!.ts)).toEqual([]);
  const [reply, ...more] = replies(failed.ts).filter(({ broadcast }) => broadcast);
  expect(more).toEqual([]);
  expect(textOf(reply!)).toMatch(new RegExp(`^<@${user.id}> :x: The draft of bundle ${id} of .* failed$`));
  const own = world.slack.space.messages.filter(
    ({ channel, text }) => channel.startsWith('D') && text === `Your draft of bundle ${id} of figures failed`,
  );
  expect(own).toHaveLength(1);
  expect(textOf(own[0]!)).toContain("No module named 'absent'");
  expect(JSON.stringify(own[0]!.blocks)).toContain('run:logs');
  const [shown] = world.slack.inChannel(elsewhere).filter(({ metadata }) => metadata !== undefined);
  expect(textOf(shown!)).toContain('failed');
  expect(textOf(shown!)).not.toContain('absent');
});

test('going back to an earlier bundle posts a new message', async () => {
  const bundles = (await owner.call('GET', `/v1/content/${guid}/bundles`)).body;
  const before = bundles.find(({ active }: { active: boolean }) => !active);
  const count = posted().length;
  await deploy(guid, { bundle_id: before.id });
  await settled();
  const id = bundles.find(({ active }: { active: boolean }) => active).id;
  await deploy(guid, { bundle_id: id });
  await settled();
  const own = posted().slice(count).map(textOf);
  expect(own).toEqual([expect.stringMatching(/is live/), expect.stringMatching(/is live/)]);
});
