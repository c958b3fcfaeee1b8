// Covers faults of Slack (down, slow, busy) and of the content server (down, slow, failing): the person is told in
// time, and nothing is lost or posted twice.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NoResponseError } from '@pressroom/api/client';
import { afterEach, expect, test } from 'vitest';
import { makeWorld, publish, startTask, textOf, told, type World } from './world.ts';

let world: World;
afterEach(() => world[Symbol.asyncDispose]());

const live = () => world.slack.inChannel(world.channel).filter(({ metadata }) => metadata !== undefined);

/** Prepares a running deploy in a subscribed channel. `start` waits until the bot knows of it. */
async function deploying() {
  const person = await world.server.person('publisher');
  const user = await world.linked(person);
  const { guid } = await publish(person, 'report');
  await world.say(user, 'subscribe report');
  const task = await startTask(world, person, guid);
  const start = () => told(world);
  return { task, start, user };
}

test('a message whose response was lost is not posted again', async () => {
  world = await makeWorld();
  const { task, start } = await deploying();
  world.slack.faults.outside = true;
  world.slack.faults.deaf = 1;
  await start();
  await task.end('broken');
  await world.slack.until(() => live().some((message) => textOf(message).includes('failed to deploy')));
  world.slack.faults.deaf = 1;
  await world.bot.idle();
  expect(live()).toHaveLength(1);
  expect(world.slack.thread(world.channel, live()[0]!.ts).filter(({ files }) => !files)).toHaveLength(1);
});

test('a deploy during an outage of Slack is posted once afterwards', async () => {
  world = await makeWorld();
  const { task, start } = await deploying();
  world.slack.faults.down = true;
  await start();
  task.log('while nobody listened');
  await task.end('broken');
  await world.slack.until(
    () => world.slack.space.calls.filter(({ result }) => result === 'down').length >= 2,
  );
  world.slack.faults.down = false;
  world.slack.faults.busy = 3;
  await world.bot.idle();
  expect(live().map(textOf)).toEqual([expect.stringContaining('failed to deploy')]);
  expect(world.slack.thread(world.channel, live()[0]!.ts)).toHaveLength(2);
});

test('a bot started during an outage of Slack continues its notices', async () => {
  world = await makeWorld();
  const { task, start } = await deploying();
  await start();
  await world.slack.until(() => live()[0]);
  world.slack.faults.down = true;
  await world.restartBot();
  await task.end();
  world.slack.faults.down = false;
  await world.bot.idle();
  expect(live().map(textOf)).toEqual([expect.stringContaining('is live')]);
});

test('a deleted message or missing channel ends the notice without side effects', async () => {
  world = await makeWorld();
  const { task, start } = await deploying();
  await start();
  const message = await world.slack.until(() => live()[0]);
  world.slack.space.messages.splice(world.slack.space.messages.indexOf(message), 1);
  await task.end();
  await world.bot.idle();
  expect(await world.bot.services.store.notices.open()).toEqual([]);
});

test.each(['rate_limited', 'token_revoked', 'html', 'internal_error', 'an_error_of_tomorrow'])(
  'a post answered with %s is posted later, once, with the outcome',
  async (word) => {
    world = await makeWorld();
    const { task, start } = await deploying();
    world.slack.faults.words['chat.postMessage'] = [word, word];
    await start();
    await task.end();
    await world.bot.idle();
    expect(live().map(textOf)).toEqual([expect.stringContaining('is live')]);
    expect(world.slack.thread(world.channel, live()[0]!.ts)).toEqual([]);
  },
);

test.each([
  'rate_limited',
  'token_revoked',
  'html',
  'update_failed',
  'an_error_of_tomorrow',
  'invalid_blocks',
])('an edit answered with %s never leaves a finished deploy shown as running', async (word) => {
  world = await makeWorld();
  const { task, start } = await deploying();
  await start();
  await world.slack.until(() => live()[0]);
  world.slack.faults.words['chat.update'] = [word, word === 'invalid_blocks' ? 'ratelimited' : word];
  await task.end();
  await world.bot.idle();
  expect(live()).toHaveLength(1);
  // If Slack rejects the blocks, the text says it.
  expect(`${live()[0]!.text} ${textOf(live()[0]!)}`).toContain('is live');
});

test('an upload that keeps failing is abandoned without side effects', async () => {
  world = await makeWorld();
  const { task, start } = await deploying();
  world.slack.faults.words['files.completeUploadExternal'] = Array<string>(50).fill('internal_error');
  task.log('a line');
  await start();
  await task.end('broken');
  await world.bot.idle();
  const uploads = world.slack.space.calls.filter(({ method }) => method === 'files.completeUploadExternal');
  expect(uploads).toHaveLength(4);
  expect(live().map(textOf)).toEqual([expect.stringContaining('failed to deploy')]);
});

test.each([401, 403, 410])(
  'a response whose response_url returns %i is sent as a message',
  async (status) => {
    world = await makeWorld();
    const user = world.slack.user('ada');
    world.slack.faults.responses = [status];
    expect(textOf(await world.say(user, 'help'))).toContain('/pressroom status');
    expect(world.slack.space.calls.filter(({ method }) => method === 'chat.postEphemeral')).toHaveLength(1);
  },
);

test('a rate-limited response waits for Retry-After', async () => {
  world = await makeWorld();
  const user = world.slack.user('ada');
  world.slack.faults.responses = [429];
  await world.say(user, 'help');
  const refused = world.slack.space.calls.find(({ method }) => method === 'response_url');
  expect(Date.now() - refused!.time).toBeGreaterThanOrEqual(990);
});

test('in a channel without the bot, the deploy appears in direct messages', async () => {
  world = await makeWorld();
  const person = await world.server.person('publisher');
  const user = await world.linked(person);
  await publish(person, 'report');
  world.slack.faults.closed.add(world.channel);
  expect(textOf(await world.say(user, 'subscribe report'))).toContain('Invite it with `/invite @pressroom`');
  expect(textOf(await world.say(user, 'deploy report'))).toContain('your direct messages show the progress');
  await world.bot.idle();
  const direct = world.slack.inChannel(`D${user.id}`).filter(({ metadata }) => metadata !== undefined);
  expect(direct.map(textOf)).toEqual([expect.stringContaining('is live')]);
});

test('a deploy whose response is lost is found, and not started twice', async () => {
  world = await makeWorld();
  const person = await world.server.person('publisher');
  const user = await world.linked(person);
  await publish(person, 'report');
  const { clients } = world.bot.services;
  const { client } = (await clients.ofLink(world.slack.space.team, user.id))!;
  const deploy = client.deployContentBundle.bind(client);
  // The server starts the deploy, but its response is lost.
  Object.assign(client, {
    async deployContentBundle(...args: Parameters<typeof deploy>) {
      await deploy(...args);
      throw new NoResponseError({
        operation: 'deployContentBundle',
        server: world.server.url,
        kind: 'reset',
        message: 'lost',
      });
    },
  });
  expect(textOf(await world.say(user, 'deploy report'))).toContain('Deploying *report*');
  await world.bot.idle();
  expect(live().map(textOf)).toEqual([expect.stringContaining('is live')]);
});

const LINES = ['status report', 'deploy report', 'usage'];
const RESPONSES: [string, string[], RequestListener][] = [
  [
    'fails',
    LINES,
    (_, response) => void response.writeHead(500).end('{"code":1,"error":"Internal failure"}'),
  ],
  ['does not respond', ['status report'], () => undefined],
  ['closes the connection', LINES, (request) => void request.socket.destroy()],
  [
    'returns a login page',
    LINES,
    (_, response) => void response.setHeader('content-type', 'text/html').end('<html>'),
  ],
];
test.each(RESPONSES)('the user gets a failure when the content server %s', async (_what, lines, listener) => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  world = await makeWorld({ config: { server: url, serviceKey: null } });
  const person = await world.server.person('publisher');
  const user = await world.linked(person);
  for (const line of lines) {
    const told = await world.say(user, line);
    expect(textOf(told), line).toContain('failed');
  }
  server.closeAllConnections();
  server.close();
});

test('an outage of the content server is shown, and the outcome follows when it is back', async () => {
  world = await makeWorld();
  const { task, start } = await deploying();
  await start();
  await world.slack.until(() => live()[0]);
  // Port and data stay the same; only the listener restarts.
  const { url } = world.server;
  await world.server.restart({ 'HTTP.Listen': url.replace('http://', '') });
  void task;
  const ended = await world.slack.until(() =>
    live().find((message) => /not deployed|is live/.test(textOf(message))),
  );
  expect(textOf(ended)).toContain('was not deployed: interrupted');
  await world.bot.idle();
  expect(live()).toHaveLength(1);
});
