// Covers ways to the bot without a command, and to people without a channel: mentions, direct messages, shortcut,
// alerts, scopes.
import { grant, makeArchive, type Person } from '@pressroom/testkit';
import type { DoubleUser } from '@pressroom/testkit/slack';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { announceStuckReleases } from '../../../packages/server/src/deploys/approvals/stuck-releases.ts';
import { appendEvent } from '../../../packages/server/src/events/store.ts';
import { makeWorld, publish, startTask, textOf, told, type World } from './world.ts';

let world: World;
let person: Person;
let user: DoubleUser;
let guid: string;
beforeAll(async () => {
  world = await makeWorld();
  person = await world.server.person('publisher');
  user = await world.linked(person);
  ({ guid } = await publish(person, 'report'));
});
afterAll(() => world[Symbol.asyncDispose]());
afterEach(async () => {
  const { store } = world.bot.services;
  for (const { team, channel, content } of await store.subscriptions({}))
    await store.removeSubscription(team, channel, content);
  world.slack.space.messages.length = 0;
});

const direct = () => world.slack.inChannel(`D${user.id}`);
const posted = () => world.slack.inChannel(world.channel);
const dm = (more: object) => ({
  type: 'message',
  channel_type: 'im',
  channel: `D${user.id}`,
  user: user.id,
  ts: '1.1',
  ...more,
});

test('a mention is answered once, privately, in its thread', async () => {
  const text = `Hey, <@${world.slack.space.bot}> status report`;
  const event = {
    type: 'app_mention',
    user: user.id,
    channel: world.channel,
    text,
    ts: '1.2',
    thread_ts: '1.1',
  };
  await world.slack.event(event, 'Ev-mention');
  await world.slack.event(event, 'Ev-mention');
  await world.bot.idle();
  const responses = world.slack.whispers(user, world.channel);
  expect(responses.map(textOf)).toEqual([expect.stringContaining('Live')]);
  expect(responses[0]!.thread_ts).toBe('1.1');
  expect(posted()).toEqual([]);
});

test('a command follows the mention of the bot, not that of somebody before it', async () => {
  const text = `<@U0COLLEAGUE> here it is: <@${world.slack.space.bot}> status report`;
  await world.slack.event({ type: 'app_mention', user: user.id, channel: world.channel, text, ts: '1.4' });
  await world.bot.idle();
  expect(world.slack.whispers(user, world.channel).map(textOf)).toEqual([expect.stringContaining('Live')]);
});

test('a subscription by mention names the person, not an ID of Slack', async () => {
  const text = `<@${world.slack.space.bot}> subscribe report`;
  await world.slack.event({ type: 'app_mention', user: user.id, channel: world.channel, text, ts: '1.3' });
  await world.bot.idle();
  expect(textOf(await world.say(user, 'subscriptions'))).toContain(`added by ${user.name}`);
  await world.say(user, 'unsubscribe report');
});

test('direct messages accept every command, with or without the slash, but not from bots', async () => {
  await world.slack.event(dm({ text: 'status report' }));
  await world.slack.event(dm({ text: '/pressroom who report' }));
  for (const more of [{ bot_id: 'B1' }, { subtype: 'message_changed' }, { channel_type: 'channel' }])
    await world.slack.event(dm({ text: 'status report', ...more }));
  await world.bot.idle();
  // Two run at the same time, so the order may vary.
  const responses = direct().map(textOf);
  expect(responses).toHaveLength(2);
  expect(responses).toContainEqual(expect.stringContaining('Live'));
  expect(responses).toContainEqual(expect.stringContaining('Visible to'));
});

test('a response in direct messages waits as long as Slack limits it', async () => {
  world.slack.faults.words['chat.postMessage'] = ['ratelimited'];
  await world.slack.event(dm({ text: 'who report' }));
  await world.bot.idle();
  expect(direct().map(textOf)).toEqual([expect.stringContaining('Visible to')]);
});

test('an unlinked user gets an offer to link in direct messages, and no data', async () => {
  const stranger = world.slack.user('stranger');
  await world.slack.event({
    ...dm({ text: 'status report' }),
    user: stranger.id,
    channel: `D${stranger.id}`,
  });
  await world.bot.idle();
  expect(world.slack.inChannel(`D${stranger.id}`).map(textOf)).toEqual([
    expect.stringContaining('requires your account'),
  ]);
});

test('the message shortcut shows its content with the rights of the user', async () => {
  await world.say(user, 'deploy report');
  await world.bot.idle();
  const [message] = posted();
  await world.slack.shortcut(user, message!, 'status_of_message');
  await world.bot.idle();
  expect(textOf(world.slack.whispers(user, world.channel).at(-1)!)).toContain('Live');
  const other = {
    ...message!,
    metadata: undefined,
    blocks: [],
    text: 'nothing',
  } as unknown as typeof message;
  await world.slack.shortcut(user, other!, 'status_of_message');
  await world.bot.idle();
  expect(textOf(world.slack.whispers(user, world.channel).at(-1)!)).toContain('no content of the server');
});

test('the custom path of content names it in commands, the shortcut and previews', async () => {
  await person.call('PUT', `/v1/content/${guid}/vanity`, { body: { path: '/figures/' } });
  await person.call('PATCH', `/v1/content/${guid}`, { body: { access_type: 'logged_in' } });
  const address = `${world.server.url}/figures/`;
  expect(textOf(await world.say(user, `status <${address}>`))).toContain('Live');
  const message = { ts: '1.5', channel: world.channel, text: `Look: <${address}page.html|here>`, blocks: [] };
  await world.slack.shortcut(user, message as never, 'status_of_message');
  await world.bot.idle();
  expect(textOf(world.slack.whispers(user, world.channel).at(-1)!)).toContain('Live');
  const links = [address, `${world.server.url}/other/`].map((url) => ({ domain: '127.0.0.1', url }));
  await world.slack.event(
    { type: 'link_shared', user: user.id, channel: world.channel, message_ts: '1.6', links },
    'Ev-path',
  );
  await world.bot.idle();
  const [{ unfurls } = {}] = world.slack.space.unfurls;
  expect(Object.keys(Object(unfurls))).toEqual([address]);
});

test('a failure mentions who started the deploy, and sends one direct message', async () => {
  const elsewhere = world.slack.channel('elsewhere');
  await world.say(user, 'subscribe report');
  await world.slack.command(user, elsewhere, 'subscribe report');
  await world.slack.until(() => world.slack.whispers(user, elsewhere)[0]);
  const task = await startTask(world, person, guid);
  await told(world);
  await task.end('broken');
  await world.bot.idle();
  const [message] = posted();
  const [result] = world.slack.thread(world.channel, message!.ts);
  expect(textOf(result!)).toContain(`<@${user.id}>`);
  expect(textOf(message!)).not.toContain(`<@${user.id}>`);
  expect(direct().map(textOf)).toEqual([expect.stringMatching(/Your deploy of .*report.* failed[^]*broken/)]);
});

test('a failure that a colleague followed is that of who started the deploy', async () => {
  const colleague = await world.server.person('publisher');
  await grant(person, guid, colleague, 'owner');
  const follower = await world.linked(colleague);
  const elsewhere = world.slack.channel('followed');
  const task = await startTask(world, person, guid);
  await world.slack.command(follower, elsewhere, `logs report --follow`);
  const message = await world.slack.until(() => world.slack.inChannel(elsewhere)[0]);
  await task.end('broken');
  await world.bot.idle();
  const [result] = world.slack.thread(elsewhere, message.ts);
  expect(textOf(result!)).toContain(`<@${user.id}>`);
  expect(textOf(result!)).not.toContain(`<@${follower.id}>`);
  expect(world.slack.inChannel(`D${follower.id}`)).toEqual([]);
  expect(direct().map(textOf)).toEqual([expect.stringMatching(/Your deploy of .*report.* failed[^]*broken/)]);
});

test('a subscription that replaces another one says which, and whose', async () => {
  const colleague = await world.linked(await world.server.person('publisher'), 'cora');
  expect(textOf(await world.say(user, 'subscribe report failures'))).not.toContain('replaces');
  expect(textOf(await world.say(user, 'subscribe report failures'))).not.toContain('replaces');
  const other = textOf(await world.say(colleague, 'subscribe report deploys'));
  expect(other).toMatch(/: deploys\..* This replaces: failures, added by /);
  expect(textOf(await world.say(user, 'subscribe report usage-weekly'))).toContain(
    'This replaces: deploys, added by cora.',
  );
});

test('a subscription by owner, type or all includes content published later, if visible', async () => {
  const viewer = await world.linked(await world.server.person('viewer'), 'vic');
  const elsewhere = world.slack.channel('all');
  await world.say(user, 'subscribe --owner me');
  await world.slack.command(viewer, elsewhere, 'subscribe --all');
  await world.slack.until(() => world.slack.whispers(viewer, elsewhere)[0]);
  await publish(person, 'later-open');
  await publish(person, 'later-closed', 1, { access_type: 'acl' });
  await told(world);
  await world.bot.idle();
  expect(posted().map(textOf)).toEqual([
    expect.stringContaining('later-open'),
    expect.stringContaining('later-closed'),
  ]);
  expect(world.slack.inChannel(elsewhere).map(textOf)).toEqual([expect.stringContaining('later-open')]);
  const list = await world.say(user, 'subscriptions');
  expect(textOf(list)).toContain(`content of ${person.username}`);
  expect(textOf(await world.press(user, list, 'unsubscribe:0'))).toContain('Unsubscribed');
  expect(textOf(await world.say(user, 'subscribe'))).toContain('say which');
  expect(textOf(await world.say(user, 'subscribe --tag nothing'))).toContain('There is no tag');
  expect(textOf(await world.say(user, 'subscribe --owner nobody-there'))).toContain('There is no user');
});

test('a crash is posted once an hour, a failed rendering always, both only if visible', async () => {
  const closed = await publish(person, 'closed', 1, { access_type: 'acl' });
  const viewer = await world.linked(await world.server.person('viewer'), 'vera');
  await world.say(user, 'subscribe closed failures');
  const elsewhere = world.slack.channel('viewers');
  await world.slack.command(viewer, elsewhere, 'subscribe --all');
  await world.slack.until(() => world.slack.whispers(viewer, elsewhere)[0]);
  const { storage } = world.server.running.services;
  // The current time, since events older than a subscription are not posted.
  const happens = (more: object) =>
    storage.write((tx) =>
      appendEvent(tx, {
        time: Date.now() * 1000,
        type: 'process.crashed',
        task_id: '',
        content_guid: closed.guid,
        bundle_id: 1,
        user_guid: person.guid,
        code: 1,
        stages: '[]',
        started_time: Date.now() * 1000,
        job_key: 'k',
        reason: 'was killed by SIGSEGV',
        ...more,
      }),
    );
  await happens({});
  await happens({});
  await happens({
    type: 'render.finished',
    task_id: 'Ab3dEf6hIj9lMn2p',
    job_key: null,
    reason: null,
  });
  await happens({
    type: 'render.finished',
    task_id: 'Ab3dEf6hIj9lMn2q',
    code: 0,
    job_key: null,
    reason: null,
  });
  await told(world);
  await world.bot.idle();
  expect(posted().map(textOf)).toEqual([
    expect.stringContaining('crashed: it was killed by SIGSEGV'),
    expect.stringContaining('could not be rendered'),
  ]);
  expect(world.slack.inChannel(elsewhere)).toEqual([]);
});

test('changes are listed in files and lines, by command and below the deploy', async () => {
  const { guid: changing, bundles } = await publish(person, 'changing');
  const raw = makeArchive({ 'index.html': '<p>changing 1</p>', 'more.txt': 'one\ntwo\n' });
  const { body: uploaded } = await person.call('POST', `/v1/content/${changing}/bundles`, { raw });
  const text = textOf(await world.say(user, 'changes changing'));
  expect(text).toContain(`bundle ${bundles[0]} → ${uploaded.id}: 1 file, +2 −0 lines`);
  expect(text).toContain('more.txt +2 −0');
  await world.say(user, `deploy changing --bundle ${uploaded.id}`);
  await world.bot.idle();
  const shown = await world.press(user, posted()[0]!, 'run:changes');
  expect(textOf(shown)).toContain('more.txt +2 −0');
  expect(textOf(await world.say(user, `changes changing --bundle ${bundles[0]}`))).toMatch(
    /nothing to compare|→/,
  );
});

test('lock and unlock deploys with a reason that every deployer sees', async () => {
  expect(textOf(await world.say(user, 'lock report'))).toContain('Say why');
  const locked = await world.say(user, 'lock report --reason "Quarter-end freeze" --for 2d');
  expect(textOf(locked)).toMatch(/Deploys of \*report\* are locked until <!date.*Quarter-end freeze/);
  expect(textOf(await world.say(user, 'deploy report'))).toMatch(/failed[^]*Quarter-end freeze[^]*code 22/);
  expect(textOf(await world.say(user, 'status report'))).toContain('locked deploys until');
  const viewer = await world.linked(await world.server.person('viewer'), 'val');
  expect(textOf(await world.say(viewer, 'unlock report'))).toMatch(/failed[^]*code 22/);
  expect(textOf(await world.say(user, 'unlock report'))).toContain('can be deployed again');
  expect(textOf(await world.say(user, 'deploy report'))).toContain('Deploying');
  await world.bot.idle();
});

test('a bundle that needs approval is approved in the channel by another user and published', async () => {
  const { guid } = await publish(person, 'agreed');
  const other = await world.server.person('publisher');
  const colleague = await world.linked(other, 'otto');
  await grant(person, guid, other, 'owner');
  await world.say(user, 'subscribe agreed');
  await person.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals: 1 } });
  const raw = makeArchive({ 'index.html': '<p>agreed 2</p>' });
  const { body: uploaded } = await person.call('POST', `/v1/content/${guid}/bundles`, { raw });
  const refused = await world.say(user, `deploy agreed --bundle ${uploaded.id}`);
  expect(textOf(refused)).toMatch(/needs 1 more approval[^]*code 22/);
  await told(world);
  await world.bot.idle();
  const [asked] = posted();
  expect(textOf(asked!)).toMatch(
    new RegExp(`Bundle ${uploaded.id} of [^]*agreed[^]* waits for approval[^]*asked[^]*Approve[^]*Changes`),
  );
  // The author cannot approve: the rights of the person who presses count.
  expect(textOf(await world.press(user, asked!, 'run:approve'))).toMatch(
    /somebody else approves it[^]*code 22/,
  );
  expect(textOf(await world.say(user, 'releases agreed'))).toContain('0 of 1 approvals');
  const approved = await world.press(colleague, asked!, 'run:approve');
  expect(textOf(approved)).toMatch(/You approved \*agreed\*[^]*1 of 1 approvals[^]*Make live/);
  await told(world);
  await world.bot.idle();
  expect(textOf(asked!)).toMatch(
    new RegExp(`Bundle ${uploaded.id} of [^]* is approved[^]*approved it[^]*Make live`),
  );
  expect(textOf(asked!)).not.toContain('waits');
  await world.press(colleague, approved, 'run:deploy');
  await world.bot.idle();
  expect((await person.call('GET', `/v1/content/${guid}`)).body.bundle_id).toBe(String(uploaded.id));
  // One message in its final state. Changes and deploy are in its thread.
  expect(textOf(asked!)).toMatch(new RegExp(`Bundle ${uploaded.id} of [^]* is live[^]*made it live`));
  expect(JSON.stringify(asked!.blocks)).not.toMatch(/run:approve|run:deploy/);
  expect(posted()).toHaveLength(1);
  expect(world.slack.thread(world.channel, asked!.ts).map(textOf)).toEqual([
    expect.stringContaining(': 1 file, +1 −1 lines'),
    expect.stringMatching(/agreed[^]*is live/),
  ]);
  expect(textOf(await world.say(user, 'releases agreed'))).toContain('No bundle of *agreed* waits');
  expect(textOf(await world.say(colleague, 'approve agreed'))).toContain('No bundle of *agreed* waits');
});

test('mentions named approvers, rejects others privately, and notifies the owner of a stuck rule', async () => {
  const { guid } = await publish(person, 'named');
  const [ada, ben] = [await world.server.person('publisher'), await world.server.person('publisher')];
  const [asked, other] = [await world.linked(ada, 'ada'), await world.linked(ben, 'ben')];
  for (const { guid: principal_guid } of [ada, ben])
    await person.call('POST', `/v1/content/${guid}/permissions`, {
      body: { principal_guid, principal_type: 'user', role: 'owner' },
    });
  await world.say(user, 'subscribe named');
  const approvers = [{ principal_guid: ada.guid, principal_type: 'user' }];
  await person.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals: 1, approvers } });
  const raw = makeArchive({ 'index.html': '<p>named 2</p>' });
  const { id } = (await person.call('POST', `/v1/content/${guid}/bundles`, { raw })).body;
  await person.call('POST', `/v1/content/${guid}/deploy`, { body: { bundle_id: id } });
  await told(world);
  await world.bot.idle();
  const [message] = posted();
  expect(textOf(message!)).toContain(`Can approve: <@${asked.id}>`);
  expect(textOf(message!)).not.toContain(other.id);
  const refused = await world.press(other, message!, 'run:approve');
  expect(textOf(refused)).toMatch(new RegExp(`names who approves this content: ${ada.username}[^]*code 22`));
  expect(posted()).toHaveLength(1);
  const admin = await world.server.administrator();
  await admin.call('POST', `/v1/users/${ada.guid}/lock`, { body: { locked: true } });
  await announceStuckReleases(world.server.running.services);
  await told(world);
  await world.bot.idle();
  for (const [said] of [posted().slice(1), direct()])
    expect(textOf(said!)).toMatch(
      new RegExp(
        `Bundle ${id} of [^]*named[^]* cannot be approved[^]*Too few people may approve it[^]*Approvals`,
      ),
    );
  expect(textOf(await world.say(user, 'releases named'))).toMatch(/0 of 1 approvals[^]*Too few people/);
  await admin.call('POST', `/v1/users/${ada.guid}/lock`, { body: { locked: false } });
  const approved = await world.press(asked, message!, 'run:approve');
  expect(textOf(approved)).toMatch(/You approved \*named\*/);
});

test('a workflow step asks the named person, and deploys with their account', async () => {
  const { guid } = await publish(person, 'stepped');
  const run = (execution: string, inputs: Record<string, unknown>) =>
    world.slack.event({
      type: 'function_executed',
      function: { callback_id: 'deploy' },
      inputs,
      function_execution_id: execution,
      workflow_execution_id: 'Wx1',
    });
  const ended = (execution: string) =>
    world.slack.until(() =>
      world.slack.space.steps.find((step) => step['function_execution_id'] === execution),
    );
  const stranger = await world.linked(await world.server.person('viewer'), 'stepper');
  await run('Fx1', { content: 'stepped', person: stranger.id });
  expect(String((await ended('Fx1'))['error'])).toContain('do not have permission');
  // The workflow's author learns no title that only the named person sees.
  await run('Fx6', { content: guid, person: stranger.id });
  expect(String((await ended('Fx6'))['error'])).not.toContain('stepped');
  await run('Fx2', { content: 'stepped', person: '<!channel>' });
  expect(String((await ended('Fx2'))['error'])).toContain('Name the person');
  await run('Fx3', { content: 'no such content', person: user.id });
  expect(String((await ended('Fx3'))['error'])).toContain('does not name one');

  await run('Fx4', { content: guid, person: user.id });
  const asked = await world.slack.until(() =>
    world.slack.inChannel(`D${user.id}`).findLast((message) => textOf(message).includes('A workflow asks')),
  );
  expect(world.slack.space.steps.map((step) => step['function_execution_id'])).not.toContain('Fx4');
  await world.slack.click(user, asked, 'step:deploy');
  await world.slack.click(user, asked, 'step:deploy');
  const { outputs } = await ended('Fx4');
  expect(outputs).toMatchObject({ task: expect.stringMatching(/^[A-Za-z0-9]{16}$/) });
  await world.bot.idle();
  expect(world.slack.space.steps.filter((step) => step['function_execution_id'] === 'Fx4')).toHaveLength(1);

  await run('Fx5', { content: guid, person: user.id });
  const again = await world.slack.until(() =>
    world.slack.inChannel(`D${user.id}`).findLast((message) => JSON.stringify(message).includes('Fx5')),
  );
  await world.slack.click(user, again, 'step:cancel');
  expect(String((await ended('Fx5'))['error'])).toContain('cancelled');
});

test('people get their Slack language, channels the chosen one', async () => {
  const { guid } = await publish(person, 'sprache');
  const greta = Object.assign(await world.linked(person, 'greta'), { locale: 'de-DE' });
  expect(textOf(await world.say(greta, 'stauts sprache'))).toContain('Unbekannter Befehl');
  expect(textOf(await world.say(greta, 'help deploy'))).toContain('Veröffentlicht das aktive Bundle');
  expect(textOf(await world.say(greta, 'status sprache'))).toContain('Eigentümer');
  const where = world.slack.channel('deutsch');
  await world.slack.command(user, where, 'subscribe sprache --language de');
  await world.slack.until(() => world.slack.whispers(user, where)[0]);
  await person.call('POST', `/v1/content/${guid}/deploy`, { body: {} });
  await told(world);
  await world.bot.idle();
  const [message] = world.slack.inChannel(where);
  expect(textOf(message!)).toContain('ist live');
  expect(textOf(message!)).toContain('Protokoll');
});
