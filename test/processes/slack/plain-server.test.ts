// Covers the bot on a server that has nothing but the contract: what it can do works, and what it lacks is called that.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { operations, type Endpoint } from '@pressroom/api/contract';
import type { Person } from '@pressroom/testkit';
import type { DoubleUser } from '@pressroom/testkit/slack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeWorld, publish, textOf, type World } from './world.ts';

const CONTRACT = Object.values<Endpoint>(operations)
  .filter(({ origin }) => origin !== 'addition')
  .map(({ method, path }) => ({ method, path: RegExp(`^/__api__${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));

let world: World;
let person: Person;
let user: DoubleUser;
let target: URL;
/** Resolves when requests are passed on again. */
let held: Promise<void> | null = null;
/** Passes on what is in the contract. */
const plain = createServer(async (asked, response) => {
  await held;
  const { method = '', url = '', headers } = asked;
  const path = url.replace(/\?.*/, '');
  if (!CONTRACT.some((one) => one.method === method && one.path.test(path))) {
    asked.resume();
    response.writeHead(404, { 'content-type': 'application/json' });
    return void response.end('{"code":2,"error":"no such endpoint","payload":null}');
  }
  const passed = request({ host: target.hostname, port: target.port, path: url, method, headers }, (got) => {
    response.writeHead(got.statusCode ?? 500, got.headers);
    got.pipe(response);
  });
  passed.on('error', () => response.destroy());
  return void asked.pipe(passed);
});

beforeAll(async () => {
  plain.listen(0, '127.0.0.1');
  await once(plain, 'listening');
  const server = `http://127.0.0.1:${(plain.address() as AddressInfo).port}`;
  world = await makeWorld({ rates: false, events: false, config: { server } });
  target = new URL(world.server.url);
  person = await world.server.person('publisher');
  user = await world.linked(person);
  await publish(person, 'sales-report', 2);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  plain.closeAllConnections();
  plain.close();
});

const say = async (line: string) => textOf(await world.say(user, line));

test.each([
  ['status', /is online\nSigned in as publisher\d+\n\*Your content\* \(1\)/],
  ['status sales-report', /Live[^]*2 \(2 bundles\)/],
  ['usage sales-report', /Usage of sales-report/],
  ['usage sales-report --by user', /Usage of sales-report/],
  ['usage', /Usage of your content/],
  ['user publisher', /publisher\d+@example\.com/],
  ['who sales-report', /owner[^]*This server does not list people and groups\./],
  ['deploys', /bundle 2 uploaded/],
  ['logs sales-report', /succeeded, 3 lines/],
  ['rollback sales-report', /from bundle 2 to bundle 1/],
  ['changes sales-report', /bundle 1 → 2/],
  ['subscribe sales-report', /^Subscribed this channel/],
  ['subscribe --owner me', /^Subscribed this channel/],
  ['unsubscribe sales-report', /^Unsubscribed this channel/],
  ['unsubscribe --owner me', /^Unsubscribed this channel/],
])('%s works', async (line, shown) => {
  expect(await say(line)).toMatch(shown);
});

test.each(['releases', 'approve', 'lock --reason x', 'unlock', 'render'])(
  '%s says that the server does not support it',
  async (line) => {
    const [command, ...options] = line.split(' ');
    expect(await say([command, 'sales-report', ...options].join(' '))).toContain(
      'This content server does not support that.',
    );
  },
);

test('a key is linked to the account with the address of the Slack user, and no other', async () => {
  const other = await world.server.person('publisher');
  const known = world.slack.user('known', `${other.username}@example.com`);
  const unknown = world.slack.user('unknown', 'nobody@example.com');
  for (const one of [known, unknown]) {
    const offer = await world.say(one, 'status');
    await world.slack.click(one, offer, 'link');
    await world.slack.until(() => world.slack.space.modals.some((modal) => modal.user === one.id));
  }
  const refused = await world.slack.submit(unknown, { key: { key: other.key } });
  expect(JSON.stringify(refused.body)).toContain('no account there has the email address');
  await world.slack.submit(known, { key: { key: other.key } });
  const shown = await world.slack.until(() =>
    world.slack.whispers(known, world.channel).find((one) => textOf(one).includes('Signed in as')),
  );
  expect(textOf(shown)).toContain(`Signed in as ${other.username}`);
  const { store } = world.bot.services;
  expect(await store.findLink(world.slack.space.team, known.id)).toMatchObject({ server_user: other.guid });
  expect(await store.findLink(world.slack.space.team, unknown.id)).toBeNull();
});

test('a command of a slow server says so, and its answer takes the place of that', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  held = promise;
  const before = world.slack.whispers(user, world.channel).length;
  await world.slack.command(user, world.channel, 'status sales-report');
  const shown = await world.slack.until(() => world.slack.whispers(user, world.channel)[before]);
  expect(textOf(shown)).toContain('Still waiting for the content server');
  held = null;
  resolve();
  await world.slack.until(() => textOf(shown).includes('Live'));
  expect(world.slack.whispers(user, world.channel)).toHaveLength(before + 1);
});

test('a deploy is followed to its end', async () => {
  await say('deploy sales-report');
  await world.bot.idle();
  expect(world.slack.inChannel(world.channel).map(textOf).join('\n')).toMatch(/sales-report.* is live/);
});
