// Covers deploys in a channel: announced once whoever reports them, updated while they run, correct at their end.
import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@pressroom/api/client';
import { deploy } from '@pressroom/api/publish';
import { upload } from '@pressroom/testkit';
import { pings, violations, type DoubleMessage } from '@pressroom/testkit/slack';
import { afterEach, expect, test } from 'vitest';
import { EVENTS_SECRET, makeWorld, publish, startTask, textOf, told, type World } from './world.ts';

let world: World;
afterEach(() => world[Symbol.asyncDispose]());

/** Sets up a linked person, and a report with this many bundles. */
async function startWithReport(bundles = 1, options: Parameters<typeof makeWorld>[0] = {}) {
  world = await makeWorld(options);
  const person = await world.server.person('publisher');
  const user = await world.linked(person);
  return { person, user, ...(await publish(person, 'report', bundles)) };
}

const live = () => world.slack.inChannel(world.channel).filter(({ metadata }) => metadata !== undefined);
const settled = (message: DoubleMessage) =>
  /is live|failed to deploy|unknown deploy status/.test(textOf(message));

test('a deploy from Slack is one message that shows its outcome', async () => {
  world = await makeWorld();
  const person = await world.server.person('publisher', { first_name: 'Pia' });
  const user = await world.linked(person);
  const { bundles } = await publish(person, 'report', 2);
  await world.say(user, `deploy report --bundle ${bundles[0]}`);
  const message = await world.slack.until(() => live().find(settled));
  expect(textOf(message)).toContain('is live');
  expect(textOf(message)).toContain('Pia (publisher1) from Slack');
  expect(textOf(message)).toMatch(/__dashboard__\/audit\?text=[A-Za-z0-9]{16}\|audit log>/);
  await world.bot.idle();
  expect(world.slack.thread(world.channel, message.ts)).toEqual([]);
  expect(live()).toHaveLength(1);
});

test('shows log lines, phases and problems during a deploy, and its failure once', async () => {
  const { person, user, guid } = await startWithReport();
  await world.say(user, 'subscribe report');
  const task = await startTask(world, person, guid);
  await told(world);
  task.stage('start');
  task.log('Launching Python application...');
  const running = await world.slack.until(() =>
    live().find((message) => textOf(message).includes('Launching')),
  );
  expect(textOf(running)).toContain('on the server');
  const steps = running.blocks.find(({ type }) => type === 'plan') as unknown as {
    tasks: { title: string; status: string }[];
  };
  expect(steps.tasks.map(({ title, status }) => `${title}: ${status}`)).toContain('Building: in_progress');
  task.log(
    'Traceback (most recent call last):\n  File "app.py", line 1\nModuleNotFoundError: No module named \'pandas\'',
  );
  task.log('<!channel> @here');
  await task.end('The application did not start');
  const message = await world.slack.until(() => live().find(settled));
  await world.bot.idle();
  const [result, log] = world.slack.thread(world.channel, message.ts);
  expect(textOf(result!)).toContain('requirements.txt must list');
  expect(log!.files).toHaveLength(1);
  const everything = [message, ...world.slack.thread(world.channel, message.ts)].map(textOf).join('\n');
  expect(everything.split("No module named 'pandas'")).toHaveLength(2);
  expect(result!.broadcast).toBe(true);
  for (const item of world.slack.space.messages) {
    // Only mentions the person who started it, in the message about the failure.
    expect(pings(item)).toEqual(item === result ? [`<@${user.id}>`] : []);
    if (item.blocks.length > 0) expect(violations(item)).toEqual([]);
  }
});

test('a deploy of a commit names it while running and afterwards', async () => {
  const { person, user, guid, bundles } = await startWithReport();
  await world.say(user, 'subscribe report');
  const commit = {
    repository: 'https://git.example.com/reports.git',
    branch: 'main',
    directory: '.',
    sha: '0123456789abcdef0123456789abcdef01234567',
    author: 'Ada Lovelace',
    subject: 'Count the visitors',
    time: '2026-11-01T10:00:00Z',
  };
  const { storage } = world.server.running.services;
  await storage.write(async (tx) => {
    const bundle = tx.updateTable('bundle').where('id', '=', Number(bundles[0]));
    await bundle.set({ source: JSON.stringify(commit) }).execute();
  });
  const task = await startTask(world, person, guid);
  await told(world);
  task.stage('extract');
  task.log('Extracting...');
  const named = (message: DoubleMessage) =>
    textOf(message).includes('Commit `0123456789` Count the visitors (Ada Lovelace) · main');
  const running = await world.slack.until(() => live().find(named));
  expect(settled(running)).toBe(false);
  await task.end();
  expect(named(await world.slack.until(() => live().find(settled)))).toBe(true);
});

test('three sources of the same deploy create one notice', async () => {
  const { user } = await startWithReport(2);
  await world.say(user, 'subscribe report');
  await world.bot.watcher.scan();
  await world.say(user, 'deploy report');
  const message = await world.slack.until(() => live().find(settled));
  const task = /task ([A-Za-z0-9]{16})/.exec(textOf(message))![1];
  await Promise.all([told(world), world.bot.watcher.scan()]);
  expect(await world.bot.services.store.notices.ofTask(task!)).toHaveLength(1);
  await world.bot.idle();
  expect(live()).toHaveLength(1);
});

test('a deploy is found in the audit log after a clock was set back', async () => {
  const { person, user, guid } = await startWithReport(1, { events: false });
  await world.say(user, 'subscribe report');
  await world.bot.watcher.scan();
  await world.bot.services.store.saveCursor('audit', String(Date.now() + 86_400_000));
  await world.bot.watcher.scan();
  const { body } = await person.call('POST', `/v1/content/${guid}/deploy`);
  await person.call('GET', `/v1/tasks/${body.task_id}?wait=20`);
  await world.bot.watcher.scan();
  await world.bot.idle();
  expect(live()).toHaveLength(1);
});

test('a deploy on a server without events is found once in the audit log', async () => {
  const { person, user, guid } = await startWithReport(1, { events: false });
  await world.say(user, 'subscribe report');
  await world.bot.watcher.scan();
  const { body } = await person.call('POST', `/v1/content/${guid}/deploy`);
  await person.call('GET', `/v1/tasks/${body.task_id}?wait=20`);
  await world.bot.watcher.scan();
  await world.bot.watcher.scan();
  await world.bot.idle();
  expect(live().map(textOf)).toEqual([expect.stringContaining('is live')]);
  expect(textOf(live()[0]!)).toContain('on the server');
});

test('a subscription to failures skips successful deploys', async () => {
  const { person, user, guid } = await startWithReport();
  await world.say(user, 'subscribe report failures');
  const deployed = async (error?: string) => {
    const task = await startTask(world, person, guid);
    await told(world);
    await task.end(error);
    await world.bot.idle();
  };
  await deployed();
  expect(live()).toEqual([]);
  await deployed('broken');
  expect(live().map(textOf)).toEqual([expect.stringContaining('failed to deploy')]);
});

test('a deploy that somebody cancels is called cancelled everywhere, and is no failure', async () => {
  const { person, user, guid } = await startWithReport();
  const elsewhere = world.slack.channel('failures');
  await world.slack.command(user, elsewhere, 'subscribe report failures');
  await world.slack.until(() => world.slack.whispers(user, elsewhere)[0]);
  await world.say(user, 'subscribe report');
  const task = await startTask(world, person, guid);
  await told(world);
  await world.slack.until(() => live()[0]);
  task.log('Error: unrelated');
  await person.call('POST', `/v1/tasks/${task.id}/cancel`);
  await task.end();
  await world.bot.idle();
  const [message] = live();
  expect(textOf(message!)).toContain('was not deployed: cancelled');
  const [reply] = world.slack.thread(world.channel, message!.ts);
  expect(textOf(reply!)).toContain('was not deployed: cancelled');
  expect(textOf(reply!)).not.toMatch(/unrelated|Cause/);
  expect(reply).toMatchObject({ broadcast: false });
  expect(textOf(reply!)).not.toContain(`<@${user.id}>`);
  expect(world.slack.inChannel(elsewhere)).toEqual([]);
  expect(world.slack.inChannel(`D${user.id}`)).toEqual([]);
  expect(textOf(await world.say(user, 'status report'))).toMatch(/The last deploy[^]*was cancelled/);
  expect(JSON.stringify((await world.say(user, 'deploys report')).blocks)).toContain('Cancelled');
  expect(textOf(await world.say(user, `logs ${task.id}`))).toContain('was cancelled');
});

test('a deploy that its server interrupts is called interrupted, and is a failure', async () => {
  const { person, user, guid } = await startWithReport();
  await world.say(user, 'subscribe report failures');
  await startTask(world, person, guid);
  await told(world);
  const { tasks } = world.server.running.services;
  await tasks[Symbol.asyncDispose]();
  await world.bot.idle();
  expect(live().map(textOf)).toEqual([expect.stringContaining('was not deployed: interrupted')]);
  expect(textOf(await world.say(user, 'status report'))).toMatch(/The last deploy[^]*was interrupted/);
});

test('two people press Roll back and Redeploy: one task each, and the second sees the first', async () => {
  world = await makeWorld();
  const person = await world.server.person('publisher');
  const ada = await world.linked(person, 'ada');
  const bob = await world.linked(person, 'bob');
  const { bundles } = await publish(person, 'report', 2);
  await world.say(ada, 'deploy report');
  const message = await world.slack.until(() => live().find(settled));
  await world.bot.idle();

  for (const user of [ada, bob]) await world.slack.click(user, message, 'notice:rollback');
  const asked = () => world.slack.space.modals.filter(({ view }) => view['callback_id'] === 'rollback');
  await world.slack.until(() => asked().length === 2);
  await Promise.all([ada, bob].map((user) => world.slack.submit(user, {})));
  await world.bot.idle();
  const responses = [ada, bob].map((user) => textOf(world.slack.whispers(user, world.channel).at(-1)!));
  expect(responses.filter((text) => text.includes('Started the rollback'))).toHaveLength(1);
  expect(responses.filter((text) => /(ada|bob) already started/.test(text))).toHaveLength(1);
  const { body } = await person.call('GET', '/v1/content?name=report');
  expect(body[0].bundle_id).toBe(bundles[0]);
  expect(live()).toHaveLength(2);

  await Promise.all([ada, bob].map((user) => world.slack.click(user, message, 'notice:redeploy')));
  await world.bot.idle();
  expect(live()).toHaveLength(3);
});

test('a typed rollback asks for confirmation, and happens once', async () => {
  const { user, bundles } = await startWithReport(2);
  const question = await world.say(user, 'rollback report');
  expect(textOf(question)).toContain(`from bundle ${bundles[1]} to bundle ${bundles[0]}`);
  expect(live()).toEqual([]);
  expect(textOf(await world.press(user, question, 'rollback:confirm'))).toContain('Started');
  expect(textOf(await world.press(user, question, 'rollback:confirm'))).toContain('You already started');
  await world.bot.idle();
  expect(live()).toHaveLength(1);
});

test('a rollback is not of what went live after its question', async () => {
  const { person, user, guid, bundles } = await startWithReport(2);
  const asked = await world.say(user, 'rollback report');
  expect(textOf(asked)).toContain(`from bundle ${bundles[1]} to bundle ${bundles[0]}`);
  const other = await upload(person, guid, { 'index.html': '<p>another' });
  const { body } = await person.call('POST', `/v1/content/${guid}/deploy`, { body: { bundle_id: other } });
  await person.call('GET', `/v1/tasks/${body.task_id}?wait=20`);
  const told = await world.press(user, asked, 'rollback:confirm');
  expect(textOf(told)).toContain(`Nothing was rolled back`);
  expect(textOf(told)).toContain(`Bundle ${other} is live.`);
  expect((await person.call('GET', `/v1/content/${guid}`)).body.bundle_id).toBe(other);
});

test('a forged confirmation about other content leaves the rollback to others', async () => {
  const { user, bundles, person } = await startWithReport(2);
  const own = await publish(person, 'other', 2);
  const question = await world.say(user, 'rollback report');
  const [block] = question.blocks.slice(-1) as { elements: { value: string }[] }[];
  const { value } = block!.elements[0]!;
  const key = [...value.split(':').slice(0, 2), own.guid, own.bundles[0]].join(':');
  const forged = {
    ...question,
    blocks: [{ type: 'actions', elements: [{ type: 'button', action_id: 'rollback:confirm', value: key }] }],
  };
  expect(textOf(await world.press(user, forged, 'rollback:confirm'))).toContain('Started');
  await world.bot.idle();
  expect(textOf(await world.press(user, question, 'rollback:confirm'))).toContain('Started');
  await world.bot.idle();
  const { body } = await person.call('GET', '/v1/content?name=report');
  expect(body[0].bundle_id).toBe(bundles[0]);
});

test('a button works after the clock was set back', async () => {
  const { user } = await startWithReport(1);
  const help = await world.say(user, 'help');
  const element = { type: 'button', action_id: 'run:deploy', value: 'deploy report' };
  const message = { ...help, blocks: [{ type: 'actions', elements: [element] }] };
  const press = async () => {
    await world.slack.click(user, message, 'run:deploy');
    await world.bot.idle();
  };
  await press();
  expect(live()).toHaveLength(1);
  world.later(-3_600_000);
  await press();
  expect(live()).toHaveLength(2);
});

test('a click left unfinished by a dead bot can be repeated after a minute', async () => {
  const { user } = await startWithReport(2);
  await world.say(user, 'deploy report');
  const message = await world.slack.until(() => live().find(settled));
  await world.bot.idle();
  const { store } = world.bot.services;
  const [notice] = await store.notices.ofTask(/task ([A-Za-z0-9]{16})/.exec(textOf(message))![1]!);
  await store.claimClick(`redeploy:${notice!.id}`, 'U0DEAD', 'dora');
  expect(textOf(await world.press(user, message, 'notice:redeploy'))).toContain('dora already started');
  world.later(61_000);
  expect(textOf(await world.press(user, message, 'notice:redeploy'))).toContain('Started');
});

test('a click has the rights of the user who presses', async () => {
  world = await makeWorld();
  const person = await world.server.person('publisher');
  const user = await world.linked(person);
  const viewer = await world.linked(await world.server.person('viewer'));
  const stranger = world.slack.user('stranger');
  await publish(person, 'report', 2);
  await world.say(user, 'deploy report');
  const message = await world.slack.until(() => live().find(settled));
  await world.bot.idle();
  for (const action of ['notice:redeploy', 'notice:rollback', 'notice:logs']) {
    if (action !== 'notice:rollback') {
      const refused = await world.press(viewer, message, action);
      expect(textOf(refused), action).toMatch(/failed|do not have permission/);
    }
    expect(textOf(await world.press(stranger, message, action)), action).toContain('requires your account');
  }
  await world.slack.click(viewer, message, 'notice:rollback');
  await world.slack.until(() => JSON.stringify(world.slack.space.modals).includes('do not have permission'));
  await world.bot.idle();
  expect(live()).toHaveLength(1);
});

test('a bundle of another type fails with the server’s message', async () => {
  const { person, user, guid } = await startWithReport();
  const shiny = await upload(
    person,
    guid,
    { 'app.R': 'x' },
    { appmode: 'shiny', primary_html: null, entrypoint: 'app.R' },
  );
  expect(textOf(await world.say(user, `deploy report --bundle ${shiny}`))).toMatch(/failed[\s\S]*code 48/);
});

test('a deploy by the shared core is posted once', async () => {
  world = await makeWorld();
  const person = await world.server.person('publisher', { first_name: 'Pia' });
  const user = await world.linked(person);
  const { guid } = await publish(person, 'report');
  await world.say(user, 'subscribe report');
  await using client = createClient({ url: world.server.url, apiKey: person.key });
  const dir = await mkdtemp(join(tmpdir(), 'pressroom-deploy-'));
  await writeFile(join(dir, 'index.html'), '<p>new</p>');
  const events = await Array.fromAsync(deploy({ client, dir, guid, record: false }));
  await rm(dir, { recursive: true });
  expect(events.map(({ type }) => type)).not.toContain('warning');
  await told(world);
  await world.bot.watcher.scan();
  await world.bot.idle();
  expect(live().map(textOf)).toEqual([expect.stringContaining('Pia (publisher1) on the server')]);
});

test('logs of a running task can be followed in another channel by button or --follow', async () => {
  const { person, user, guid } = await startWithReport();
  await world.say(user, 'subscribe report');
  const task = await startTask(world, person, guid);
  task.log('Rendering page 1');
  await told(world);
  const first = await world.slack.until(() => live()[0]);
  const shown = await world.press(user, first, 'notice:logs');
  expect(textOf(shown)).toContain('is still running');
  expect(textOf(await world.press(user, shown, 'run:follow'))).toContain('channel shows the progress');

  const elsewhere = world.slack.channel('elsewhere');
  await world.slack.command(user, elsewhere, `logs ${task.id} --follow`);
  const second = await world.slack.until(() => world.slack.inChannel(elsewhere)[0]);
  await task.end();
  await world.bot.idle();
  expect(live()).toHaveLength(1);
  for (const message of [first, second]) expect(textOf(message)).toContain('is live');
});

test('logs find a task id without digits, and content named like an id', async () => {
  const { person, user } = await startWithReport();
  const { guid } = await publish(person, 'quarterlyreports');
  const { body } = await person.call('POST', `/v1/content/${guid}/deploy`);
  await person.call('GET', `/v1/tasks/${body.task_id}?wait=20`);
  const { db } = world.server.running.services.storage;
  const ended = await db
    .selectFrom('task')
    .selectAll()
    .where('id', '=', body.task_id)
    .executeTakeFirstOrThrow();
  await db
    .insertInto('task')
    .values({ ...ended, id: 'AXLqhKpbOMYEvvUk' })
    .execute();
  expect(textOf(await world.say(user, 'logs AXLqhKpbOMYEvvUk'))).toContain('succeeded');
  await world.say(user, 'deploy quarterlyreports');
  await world.slack.until(() => live().find(settled));
  expect(textOf(await world.say(user, 'logs quarterlyreports'))).toContain('succeeded');
  const nothing = textOf(await world.say(user, 'logs AXLqhKpbOMYEvvUx'));
  expect(nothing).toContain('No content that you can see');
  expect(nothing).toContain('no task with this ID');
});

test('a deploy known only from another server’s audit log is posted once when active', async () => {
  world = await makeWorld();
  const person = await world.server.person('publisher');
  const { guid, bundles } = await publish(person, 'report');
  const { announcer, now } = world.bot.services;
  const notice = {
    team: world.slack.space.team,
    channel: world.channel,
    task: null,
    otherwise: 'audit:7',
    content: guid,
    title: 'report',
    url: null,
    bundle: bundles[0]!,
    who: 'Ada',
    via: 'on the server',
    slack_user: null,
    reader: null,
    previous: null,
    only_failures: 0 as const,
    started_time: now() - 60_000,
  };
  const first = await announcer.announce(notice);
  await world.bot.idle();
  expect(live().map(textOf)).toEqual([expect.stringContaining('is live')]);
  // The same deploy is announced again later, with its task.
  const again = await announcer.announce({ ...notice, task: 'Ab3dEf6hIj9lMn2p', otherwise: 'x' });
  expect([first.fresh, again.fresh, again.notice.id]).toEqual([true, false, first.notice.id]);
  await world.bot.idle();
  expect(live()).toHaveLength(1);
});

test('a failed deploy names the live bundle, and offers no rollback', async () => {
  const { person, user, guid, bundles } = await startWithReport(2);
  await world.say(user, 'subscribe report');
  const task = await startTask(world, person, guid);
  await told(world);
  expect(textOf(await world.say(user, 'status report'))).toContain('has been deploying since');
  await task.end('broken');
  await world.bot.idle();
  const [message] = live();
  expect(textOf(message!)).toContain(`Bundle ${bundles[1]} is still live.`);
  expect(JSON.stringify(message!.blocks)).not.toContain('notice:rollback');
  expect(textOf(await world.say(user, 'status report'))).toMatch(
    /Live[^]*The last deploy \(.*\) failed .*broken/,
  );
});

test('a rollback uses the last working bundle, or the chosen one', async () => {
  const { person, user, guid, bundles } = await startWithReport(2);
  // Uploaded, but never deployed.
  const unused = await upload(person, guid, { 'index.html': 'unused' });
  const newest = await upload(person, guid, { 'index.html': 'newest' });
  await world.say(user, `deploy report --bundle ${newest}`);
  const message = await world.slack.until(() => live().find(settled));
  await world.bot.idle();
  const question = await world.say(user, 'rollback report');
  expect(textOf(question)).toContain(`from bundle ${newest} to bundle ${bundles[1]} (worked`);
  await world.slack.click(user, message, 'notice:rollback');
  const modal = await world.slack.until(() =>
    world.slack.space.modals.find(({ view }) => view['callback_id'] === 'rollback'),
  );
  expect(violations(modal.view, 'modal')).toEqual([]);
  expect(JSON.stringify(modal.view)).toContain(`Bundle ${unused}: outcome not known`);
  await world.slack.submit(user, { bundle: { bundle: bundles[0]! } });
  await world.slack.until(() => live().length === 2);
  await world.bot.idle();
  expect((await person.call('GET', `/v1/content/${guid}`)).body.bundle_id).toBe(bundles[0]);
  expect(textOf(await world.say(user, `rollback report --bundle ${bundles[0]}`))).toContain(
    'is live already',
  );
});

test('the duration of a deploy is the server’s, even if the bot learns of it late', async () => {
  const { person, user, guid } = await startWithReport();
  await world.say(user, 'subscribe report');
  const task = await startTask(world, person, guid);
  await told(world);
  await world.slack.until(() => live()[0]);
  world.later(3_600_000);
  await task.end();
  await world.bot.idle();
  expect(textOf(live()[0]!)).toMatch(/· [\d.]+ sec ·/);
});

test('a deploy appears only where its content is subscribed, and names who started it', async () => {
  const { person, user, guid } = await startWithReport();
  await publish(person, 'other');
  await world.say(user, 'subscribe report');
  const elsewhere = world.slack.channel('elsewhere');
  await world.slack.command(user, elsewhere, 'subscribe other');
  await world.slack.until(() => world.slack.whispers(user, elsewhere)[0]);
  const task = await startTask(world, person, guid);
  await told(world);
  await task.end();
  await world.bot.idle();
  expect(live().map(textOf)).toEqual([expect.stringContaining(person.username)]);
  expect(world.slack.inChannel(elsewhere)).toEqual([]);
});

test('a deploy announced by event is posted once without reading the audit log', async () => {
  const { person, user, guid } = await startWithReport(1);
  await world.say(user, 'subscribe report');
  const { body } = await person.call('POST', `/v1/content/${guid}/deploy`);
  await person.call('GET', `/v1/tasks/${body.task_id}?wait=20`);
  const message = await world.slack.until(() => live().find(settled));
  expect(textOf(message)).toContain(`${person.username} on the server`);
  await world.bot.idle();
  expect(live()).toHaveLength(1);
});

test('unsigned or old events are rejected', async () => {
  const { user, guid } = await startWithReport(1);
  await world.say(user, 'subscribe report');
  const started_time = new Date().toISOString();
  const content = { guid, name: 'report', title: null, url: world.server.url, bundle_id: null };
  const event = { type: 'deploy.started', task_id: 'Ab3dEf6hIj9lMn2p', content, started_time };
  const text = JSON.stringify({ events: [event] });
  const post = (secret: string, age = 0, body = text) => {
    const time = Math.floor(Date.now() / 1000) - age;
    const mac = createHmac('sha256', secret).update(`${time}.${text}`).digest('hex');
    const headers = { 'x-pressroom-signature': `t=${time},v1=${mac}` };
    return fetch(`${world.bot.url}/hooks/events`, { method: 'POST', body, headers });
  };
  expect((await post('wrong')).status).toBe(401);
  expect((await post(EVENTS_SECRET, 600)).status).toBe(401);
  expect((await post(EVENTS_SECRET, 0, `${text} `)).status).toBe(401);
  expect((await post(EVENTS_SECRET, 0, 'x'.repeat(1_100_000))).status).toBe(413);
  expect((await fetch(`${world.bot.url}/hooks/events`, { method: 'POST', body: '{}' })).status).toBe(401);
  // Programs once announced deploys here.
  expect((await fetch(`${world.bot.url}/hooks/deployments`, { method: 'POST', body: '{}' })).status).toBe(
    404,
  );
  expect((await post(EVENTS_SECRET)).status).toBe(204);
  expect(await world.bot.services.store.notices.ofTask('Ab3dEf6hIj9lMn2p')).toHaveLength(1);
});
