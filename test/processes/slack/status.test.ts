// Covers status, subscriptions by tag, and a window while the content server is slow.
import { makeArchive, upload, type Person } from '@pressroom/testkit';
import type { DoubleUser } from '@pressroom/testkit/slack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeWorld, publish, startTask, textOf, told, type World } from './world.ts';

let world: World;
let person: Person;
let user: DoubleUser;
beforeAll(async () => {
  world = await makeWorld();
  person = await world.server.person('publisher');
  user = await world.linked(person);
});
afterAll(() => world[Symbol.asyncDispose]());

test('status shows a running deploy, and one that failed beside the live bundle', async () => {
  const { guid, bundles } = await publish(person, 'busy');
  const running = await startTask(world, person, guid);
  const during = textOf(await world.say(user, 'status busy'));
  expect(during).toMatch(/Live[^]*has been deploying since/);
  expect(during).toContain(running.id);
  await running.end('The application did not start');
  const after = textOf(await world.say(user, 'status busy'));
  expect(after).toMatch(/Live[^]*failed[^]*The application did not start/);
  expect(after).toContain(`${bundles[0]} (1 bundle`);
  await world.bot.idle();
});

test('status shows drafts, and what waits for approval', async () => {
  const { guid } = await publish(person, 'drafted');
  const deploy = async (body: object) => {
    const { task_id } = (await person.call('POST', `/v1/content/${guid}/deploy`, { body })).body;
    if (task_id) await person.call('GET', `/v1/tasks/${task_id}?wait=20`);
  };
  const draft = await upload(person, guid, { 'index.html': '<p>2</p>' });
  await deploy({ bundle_id: draft, activate: false });
  const shown = await world.say(user, 'status drafted');
  expect(textOf(shown)).toContain(`Bundle ${draft} is ready as a draft, by ${person.username}`);
  expect(JSON.stringify(shown.blocks)).toMatch(
    new RegExp(`deploy ${guid} --bundle ${draft} --task [A-Za-z0-9]+"[^]*/content/${guid}/_bundle${draft}/`),
  );
  await person.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals: 1 } });
  const asked = await upload(person, guid, { 'index.html': '<p>4</p>' });
  await deploy({ bundle_id: asked });
  const waiting = await world.say(user, 'status drafted');
  expect(textOf(waiting)).toContain(`Bundle ${asked} of drafted waits for approval`);
  expect(JSON.stringify(waiting.blocks)).toContain(`releases ${guid}`);
  await world.bot.idle();
});

test('status says that the draft of the newest bundle failed, and why', async () => {
  const { guid } = (await person.call('POST', '/v1/content', { body: { name: 'failing' } })).body;
  const raw = makeArchive({ 'app.py': 'import absent\n' }, { appmode: 'python-api', entrypoint: 'app:app' });
  const { id } = (await person.call('POST', `/v1/content/${guid}/bundles`, { raw })).body;
  const body = { bundle_id: id, activate: false };
  const { task_id } = (await person.call('POST', `/v1/content/${guid}/deploy`, { body })).body;
  await person.call('GET', `/v1/tasks/${task_id}?wait=20`);
  expect(textOf(await world.say(user, 'status failing'))).toMatch(
    new RegExp(`:x: The draft of bundle ${id} failed .*\\(task ${task_id}\\): .+`),
  );
  await world.bot.idle();
});

test('a subscription by tag includes only content with the tag', async () => {
  const admin = await world.server.administrator();
  const tag = (await admin.call('POST', '/v1/tags', { body: { name: 'Finance' } })).body;
  const child = (await admin.call('POST', '/v1/tags', { body: { name: 'Quarterly', parent_id: tag.id } }))
    .body;
  const elsewhere = world.slack.channel('finance');
  await world.slack.command(user, elsewhere, 'subscribe --tag quarterly');
  await world.slack.until(() => world.slack.whispers(user, elsewhere)[0]);
  const [tagged, other] = [await publish(person, 'tagged'), await publish(person, 'untagged')];
  const { status } = await person.call('POST', `/v1/content/${tagged.guid}/tags`, {
    body: { tag_id: child.id },
  });
  expect(status).toBe(204);
  expect(textOf(world.slack.whispers(user, elsewhere)[0]!)).toContain('Quarterly');
  for (const { guid } of [other, tagged]) {
    const { body } = await person.call('POST', `/v1/content/${guid}/deploy`);
    await person.call('GET', `/v1/tasks/${body.task_id}?wait=20`);
  }
  await told(world);
  await world.bot.idle();
  const texts = world.slack.inChannel(elsewhere).map(textOf);
  expect(texts.length).toBeGreaterThan(0);
  for (const text of texts) expect(text).toMatch(/\btagged\b/);
  for (const text of texts) expect(text).not.toContain('untagged');
});

test('a deleted tag does not stop other subscriptions or digests', async () => {
  const admin = await world.server.administrator();
  const { body: tag } = await admin.call('POST', '/v1/tags', { body: { name: 'Passing' } });
  const [left, other] = [world.slack.channel('left'), world.slack.channel('other')];
  const { guid } = await publish(person, 'lasting');
  for (const [channel, line] of [
    [left, 'subscribe --tag passing usage-daily'],
    [other, 'subscribe lasting deploys usage-daily'],
  ] as const) {
    await world.slack.command(user, channel, line);
    await world.slack.until(() => world.slack.whispers(user, channel)[0]);
  }
  expect((await admin.call('DELETE', `/v1/tags/${tag.id}`)).status).toBe(204);
  const { body } = await person.call('POST', `/v1/content/${guid}/deploy`);
  await person.call('GET', `/v1/tasks/${body.task_id}?wait=20`);
  await told(world);
  await world.bot.idle();
  const texts = (channel: string) => world.slack.inChannel(channel).map(textOf).join('\n');
  expect(texts(other)).toContain('lasting');
  const { store } = world.bot.services;
  for (const one of [
    ...(await store.scopedSubscriptions()),
    ...(await store.subscriptions({ content: guid })),
  ])
    await store.finishDigest(one, 0);
  await world.bot.watcher.digests();
  await world.bot.idle();
  expect(texts(other)).toMatch(/Usage/);
});
