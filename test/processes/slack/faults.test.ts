// Slack down, slow, busy; the content server down, slow, failing: the asker is told in time, nothing is lost or said twice.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { handOver, makeWorld, publish, startTask, textOf, type World } from './world.ts';

let world: World;
afterEach(() => world[Symbol.asyncDispose]());

const live = () => world.slack.inChannel(world.channel).filter(({ metadata }) => metadata !== undefined);

/** A deploy that is handed over, with the channel subscribed. */
async function handedOver() {
  const person = await world.server.person('publisher');
  const user = await world.linked(person);
  const { guid } = await publish(person, 'report');
  await world.say(user, 'subscribe report');
  const task = await startTask(world, person, guid);
  const start = () =>
    handOver(world.bot, { server: world.server.url, content_guid: guid, task_id: task.id, source: 'cli' });
  return { task, start, user };
}

test('a message whose answer was lost is not posted again, in a channel the bot never joined', async () => {
  world = await makeWorld();
  const { task, start } = await handedOver();
  world.slack.faults.outside = true;
  world.slack.faults.deaf = 1;
  await start();
  await task.end();
  await world.slack.until(() => live().some((message) => textOf(message).includes('is live')));
  world.slack.faults.deaf = 1;
  await world.bot.idle();
  expect(live()).toHaveLength(1);
  expect(world.slack.thread(world.channel, live()[0]!.ts).filter(({ files }) => !files)).toHaveLength(1);
});

test('a deploy that runs while Slack is down, and then busy, is told once when Slack is back', async () => {
  world = await makeWorld();
  const { task, start } = await handedOver();
  world.slack.faults.down = true;
  expect((await start()).status).toBe(202);
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

test('a bot that starts while Slack is down goes on where it was', async () => {
  world = await makeWorld();
  const { task, start } = await handedOver();
  await start();
  await world.slack.until(() => live()[0]);
  world.slack.faults.down = true;
  await world.restartBot();
  await task.end();
  world.slack.faults.down = false;
  await world.bot.idle();
  expect(live().map(textOf)).toEqual([expect.stringContaining('is live')]);
});

test('a message that somebody deleted, or a channel that is gone, ends the telling and nothing else', async () => {
  world = await makeWorld();
  const { task, start } = await handedOver();
  await start();
  const message = await world.slack.until(() => live()[0]);
  world.slack.space.messages.splice(world.slack.space.messages.indexOf(message), 1);
  await task.end();
  await world.bot.idle();
  expect(await world.bot.services.store.notices.open()).toEqual([]);
});

const LINES = ['status report', 'deploy report', 'usage'];
const ANSWERS: [string, string[], RequestListener][] = [
  [
    'fails',
    LINES,
    (_, response) => void response.writeHead(500).end('{"code":1,"error":"Internal failure"}'),
  ],
  ['is silent', ['status report'], () => undefined],
  ['hangs up', LINES, (request) => void request.socket.destroy()],
  [
    'is a login page',
    LINES,
    (_, response) => void response.setHeader('content-type', 'text/html').end('<html>'),
  ],
];
test.each(ANSWERS)('when the content server %s, the asker is told', async (_what, lines, listener) => {
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

test('a content server that is gone while a deploy runs shows as trouble, and the end is told when it is back', async () => {
  world = await makeWorld();
  const { task, start } = await handedOver();
  await start();
  await world.slack.until(() => live()[0]);
  // Port and data stay; only what listens goes away.
  const { url } = world.server;
  await world.server.restart({ 'HTTP.Listen': url.replace('http://', '') });
  void task;
  const ended = await world.slack.until(() =>
    live().find((message) => /failed to deploy|is live/.test(textOf(message))),
  );
  expect(textOf(ended)).toContain('failed to deploy');
  await world.bot.idle();
  expect(live()).toHaveLength(1);
});
