// Covers linking, the home tab, link previews, subscriptions and digests, over Socket Mode and HTTP.
import { createHmac, randomUUID } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Person } from '@pressroom/testkit';
import { pings, violations, type DoubleMessage, type DoubleUser } from '@pressroom/testkit/slack';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { makeWorld, publish, textOf, type World } from './world.ts';

let world: World;
afterEach(() => world[Symbol.asyncDispose]());

test.each([{ socket: false }, { socket: true }])(
  'an unlinked user links in a window, then the typed command continues (socket: $socket)',
  async ({ socket }) => {
    world = await makeWorld({ socket });
    const person = await world.server.person('publisher');
    await publish(person, 'report');
    const user = world.slack.user('pia');
    const offer = await world.say(user, 'status report');
    expect(textOf(offer)).toContain('requires your account');
    await world.slack.click(user, offer, 'link');
    await world.slack.until(() => world.slack.space.modals[0]);
    expect(violations(world.slack.space.modals[0]!.view, 'modal')).toEqual([]);

    const wrong = await world.slack.submit(user, { key: { key: 'not-a-key-at-all' } });
    expect(wrong.body).toMatchObject({
      response_action: 'errors',
      errors: { key: expect.stringContaining('rejected') },
    });
    const before = world.slack.whispers(user, world.channel).length;
    await world.slack.submit(user, { key: { key: person.key } });
    const response = await world.slack.until(() => world.slack.whispers(user, world.channel)[before]);
    expect(textOf(response)).toContain('Live');
    expect(JSON.stringify(world.slack.space.messages)).not.toContain(person.key);

    expect(textOf(await world.say(user, 'unlink'))).toContain('is unlinked');
    expect(textOf(await world.say(user, 'status report'))).toContain('requires your account');
  },
);

describe('Account linking in the browser', () => {
  /** Presses the button. Returns the message with the address of the page. */
  async function ask(user: DoubleUser): Promise<DoubleMessage> {
    const offer = await world.say(user, 'status report');
    return world.press(user, offer, 'link:browser');
  }
  const codeIn = (message: DoubleMessage) => /\b[A-Z]{4}-[A-Z]{4}\b/.exec(textOf(message))![0];
  const last = (user: DoubleUser) => textOf(world.slack.whispers(user, world.channel).at(-1)!);

  /** Submits the person's decision on the server's page. */
  async function decide(person: Person, message: DoubleMessage, decision: string): Promise<string> {
    const { anonymous } = world.server;
    const body = { username: person.username, password: 'correct horse' };
    const signedIn = await anonymous('POST', '//__login__', { body });
    const cookie = signedIn.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    const xsrf = /RSC-XSRF=([^;]+)/.exec(cookie)![1]!;
    const code = codeIn(message);
    const page = await anonymous('GET', `//__dashboard__/device?code=${code}`, { headers: { cookie } });
    const raw = new URLSearchParams({ code, decision, xsrf }).toString();
    expect((await anonymous('POST', '//__dashboard__/device', { raw, headers: { cookie } })).status).toBe(
      303,
    );
    return page.bytes.toString();
  }

  test('shows the page and code to the requester only, then continues the command', async () => {
    world = await makeWorld();
    const person = await world.server.person('publisher');
    await publish(person, 'report');
    const user = world.slack.user('pia', `${person.username}@example.com`);
    const offered = await ask(user);
    expect(violations(offered, 'message')).toEqual([]);
    const url = `${world.server.url}/__dashboard__/device?code=${codeIn(offered)}`;
    expect(JSON.stringify(offered.blocks)).toContain(url);
    const page = await decide(person, offered, 'allowed');
    expect(page).toContain(`Pressroom for Slack: ${person.username}@example.com in double`);
    await world.slack.until(() => last(user).includes('Live') || undefined);
    const link = await world.bot.services.store.findLink(world.slack.space.team, user.id);
    expect(link).toMatchObject({ server_user: person.guid });
    expect(JSON.stringify(world.slack.space.messages)).not.toContain(link!.key);
  });

  test('rejects an account with another e-mail address than Slack, and revokes its key', async () => {
    world = await makeWorld();
    const admin = await world.server.person('administrator');
    // An attacker with a harmless name forwards the page and the code to an administrator.
    const stranger = world.slack.user('it-support', 'mallory@example.com');
    const offered = await ask(stranger);
    const page = await decide(admin, offered, 'allowed');
    expect(page).toContain('Pressroom for Slack: mallory@example.com in double');
    await world.slack.until(() => last(stranger).includes('another email address') || undefined);
    expect(await world.bot.services.store.findLink(world.slack.space.team, stranger.id)).toBeFalsy();
    const { body } = await admin.call('GET', `/v1/users/${admin.guid}/keys`);
    expect(JSON.stringify(body)).not.toContain('Pressroom for Slack');
  });

  test('revokes the key that signing in made if the account cannot be checked', async () => {
    world = await makeWorld();
    const person = await world.server.person('publisher');
    const user = world.slack.user('pia', `${person.username}@example.com`);
    const offered = await ask(user);
    const { clients } = world.bot.services;
    const { trial } = clients;
    vi.spyOn(clients, 'trial').mockImplementationOnce((key) => ({
      ...trial(key),
      getCurrentUser: () => Promise.reject(new Error('the server is busy')),
    }));
    await decide(person, offered, 'allowed');
    await world.slack.until(() => last(user).includes('Linking') || undefined);
    const { body } = await person.call('GET', `/v1/users/${person.guid}/keys`);
    expect(JSON.stringify(body)).not.toContain('Pressroom for Slack');
    expect(await world.bot.services.store.findLink(world.slack.space.team, user.id)).toBeFalsy();
  });

  test('refuses people of another workspace, whose own administrators choose their email addresses', async () => {
    world = await makeWorld();
    const person = await world.server.person('publisher');
    const colleague = world.slack.user('pia', `${person.username}@example.com`);
    const offer = await world.say(colleague, 'status report');
    const { id } = world.slack.user('pia', colleague.email);
    const stranger = { ...colleague, id, team: 'T0OTHER' };
    const refused = await world.press(stranger, offer, 'link:browser');
    expect(textOf(refused)).toContain('Use an API key');
    expect(textOf(refused)).not.toMatch(/[A-Z]{4}-[A-Z]{4}/);
  });

  test('unlinking revokes the key that linking created', async () => {
    world = await makeWorld();
    const person = await world.server.person('publisher');
    await publish(person, 'report');
    const user = world.slack.user('pia', `${person.username}@example.com`);
    await decide(person, await ask(user), 'allowed');
    await world.slack.until(() => last(user).includes('Live') || undefined);
    const keys = async () => JSON.stringify((await person.call('GET', `/v1/users/${person.guid}/keys`)).body);
    expect(await keys()).toContain('Pressroom for Slack');
    expect(textOf(await world.say(user, 'unlink'))).toContain('API key for it is revoked');
    expect(await keys()).not.toContain('Pressroom for Slack');
  });

  test('a denied request links nobody, and says so', async () => {
    world = await makeWorld();
    const person = await world.server.person('publisher');
    const user = world.slack.user('pia');
    await decide(person, await ask(user), 'denied');
    await world.slack.until(() => last(user).includes('was denied') || undefined);
    expect(await world.bot.services.store.findLink(world.slack.space.team, user.id)).toBeFalsy();
  });

  test('shutdown does not wait for pending links', async () => {
    world = await makeWorld();
    const user = world.slack.user('pia');
    await ask(user);
    await world.restartBot();
    expect(textOf(await world.say(user, 'help'))).toContain('paste its address');
  });
});

test('the bot reopens a socket that Slack refreshes without losing a command', async () => {
  world = await makeWorld({ socket: true });
  const user = world.slack.user('ada');
  for (let round = 0; round < 3; round += 1) {
    expect(textOf(await world.say(user, 'help'))).toContain('paste its address');
    const before = world.slack.space.calls.filter(({ method }) => method === 'apps.connections.open').length;
    world.slack.refreshSockets();
    await world.slack.until(
      () =>
        world.slack.sockets > 0 &&
        world.slack.space.calls.filter(({ method }) => method === 'apps.connections.open').length > before,
    );
  }
});

test('a revoked key is reported with an offer to link again', async () => {
  world = await makeWorld();
  const person = await world.server.person('publisher');
  const user = await world.linked(person);
  const keys = (await person.call('GET', `/v1/users/${person.guid}/keys`)).body as { id: string }[];
  const admin = await world.server.administrator();
  await admin.call('DELETE', `/v1/users/${person.guid}/keys/${keys[0]!.id}`);
  const response = await world.say(user, 'status');
  expect(textOf(response)).toContain('Link your account again');
});

test('unlinked users get permitted commands with the guest’s rights, and change nothing', async () => {
  world = await makeWorld({ config: { unlinked: ['status', 'deploy'] }, guest: true });
  const publisher = await world.server.person('publisher');
  await publish(publisher, 'open-report');
  await publish(publisher, 'closed-report', 1, { access_type: 'acl' });
  const stranger = world.slack.user('stranger');
  expect(textOf(await world.say(stranger, 'status open-report'))).toContain('Live');
  expect(textOf(await world.say(stranger, 'status closed-report'))).toContain('No content that you can see');
  for (const line of ['deploy open-report', 'usage open-report']) {
    expect(textOf(await world.say(stranger, line)), line).toContain('requires your account');
  }
});

test('people of another organization get no commands as guests: not by a mention, and not by a shortcut', async () => {
  world = await makeWorld({ config: { unlinked: ['status'] }, guest: true });
  const publisher = await world.server.person('publisher');
  await publish(publisher, 'open-report');
  const owner = await world.linked(publisher);
  await world.say(owner, 'deploy open-report');
  await world.bot.idle();
  const text = `<@${world.slack.space.bot}> status open-report`;
  const write = async (user: DoubleUser, event: Readonly<Record<string, string>>) => {
    const { id, team = world.slack.space.team } = user;
    const message = { ...event, user: id, team, text, ts: '1.2' };
    await world.slack.event(message, randomUUID(), { shared: true });
    await world.bot.idle();
  };
  const mention = async (user: DoubleUser) => {
    await write(user, { type: 'app_mention', channel: world.channel });
    return textOf(world.slack.whispers(user, world.channel).at(-1)!);
  };
  const direct = async (user: DoubleUser) => {
    const channel = `D${user.id}`;
    await write(user, { type: 'message', channel_type: 'im', channel });
    return textOf(world.slack.inChannel(channel).at(-1)!);
  };
  const colleague = world.slack.user('colleague');
  const outsider = Object.assign(world.slack.user('outsider'), { team: 'T0OTHER' });
  expect(await mention(colleague)).toContain('Live');
  expect(await mention(outsider)).toContain('requires your account');
  expect(await direct(colleague)).toContain('Live');
  expect(await direct(outsider)).toContain('requires your account');
  const [message] = world.slack.inChannel(world.channel);
  const shortcut = async (user: DoubleUser) => {
    const before = world.slack.whispers(user, world.channel).length;
    await world.slack.shortcut(user, message!, 'status_of_message');
    await world.bot.idle();
    return textOf(world.slack.whispers(user, world.channel)[before]!);
  };
  expect(await shortcut(colleague)).toContain('Live');
  expect(await shortcut(outsider)).toContain('requires your account');
});

test('the home tab shows content, running deploys and subscriptions; a repeated event counts once', async () => {
  world = await makeWorld();
  const person = await world.server.person('publisher');
  const user = await world.linked(person);
  await publish(person, 'report');
  await world.say(user, 'subscribe report usage-weekly');
  const opened = { type: 'app_home_opened', user: user.id, channel: `D${user.id}`, tab: 'home' };
  await world.slack.event(opened, 'Ev1');
  const home = await world.slack.until(() => world.slack.space.homes.get(user.id));
  expect(violations(home, 'home')).toEqual([]);
  expect(pings(home)).toEqual([]);
  const text = textOf(home as never);
  expect(text).toContain('Your content* (1)');
  expect(text).toContain('Your subscriptions* (1)');
  await world.slack.event(opened, 'Ev1');
  await world.bot.idle();
  expect(world.slack.space.calls.filter(({ method }) => method === 'views.publish')).toHaveLength(1);
});

test('a link unfolds only if the poster and everyone with an account may see the content', async () => {
  world = await makeWorld();
  const person = await world.server.person('publisher');
  const user = await world.linked(person);
  const open = await publish(person, 'open-report');
  const closed = await publish(person, 'closed-report', 1, { access_type: 'acl' });
  const post = async (who: { id: string }, guids: string[]) => {
    await world.slack.event({
      type: 'link_shared',
      user: who.id,
      channel: world.channel,
      message_ts: '1.2',
      links: [...guids, 'x'].map((guid) => ({
        domain: '127.0.0.1',
        url: `${world.server.url}/content/${guid}/`,
      })),
    });
    await world.bot.idle();
  };
  await post(user, [closed.guid]);
  await post(world.slack.user('stranger'), [open.guid]);
  expect(world.slack.space.unfurls).toEqual([]);
  await post(user, [open.guid, closed.guid]);
  expect(Object.keys(world.slack.space.unfurls[0]!['unfurls'] as object)).toEqual([
    `${world.server.url}/content/${open.guid}/`,
  ]);
});

test('content at an address of its own unfolds, and the shortcut finds it', async () => {
  const settings = {
    'Server.Address': 'http://dashboard.example.com',
    'Server.ContentAddress': 'http://pages.example.com',
  };
  world = await makeWorld({ settings });
  const person = await world.server.person('publisher');
  const user = await world.linked(person);
  const { guid } = await publish(person, 'report', 1, { access_type: 'logged_in' });
  const path = `/content/${guid}/`;
  const links = ['http://pages.example.com', 'http://elsewhere.example.com'].map((origin) => ({
    domain: new URL(origin).hostname,
    url: `${origin}${path}`,
  }));
  const posted = { type: 'link_shared', user: user.id, channel: world.channel, message_ts: '1.2', links };
  await world.slack.event(posted, 'Ev1');
  await world.bot.idle();
  const [{ unfurls } = {}] = world.slack.space.unfurls;
  expect(Object.keys(Object(unfurls))).toEqual([`http://pages.example.com${path}`]);
  const message = { ts: '1.3', channel: world.channel, text: `<${links[0]!.url}>`, blocks: [] };
  await world.slack.shortcut(user, message as never, 'status_of_message');
  await world.bot.idle();
  expect(textOf(world.slack.whispers(user, world.channel).at(-1)!)).toContain('Live');
});

test('in a channel shared with another organization, only links to public content unfold', async () => {
  world = await makeWorld();
  const person = await world.server.person('publisher');
  const user = await world.linked(person);
  const [own, open] = [
    await publish(person, 'own-report', 1, { access_type: 'logged_in' }),
    await publish(person, 'open-report', 1, { access_type: 'all' }),
  ].map(({ guid }) => `${world.server.url}/content/${guid}/`);
  const links = [own, open].map((url) => ({ domain: '127.0.0.1', url }));
  const posted = { type: 'link_shared', user: user.id, channel: world.channel, message_ts: '1.2', links };
  await world.slack.event(posted, 'Ev1', { shared: true });
  await world.bot.idle();
  const [{ unfurls } = {}] = world.slack.space.unfurls;
  expect(Object.keys(Object(unfurls))).toEqual([open]);
});

test('subscriptions are listed, ended with a button, and tried with a dry run', async () => {
  world = await makeWorld();
  const person = await world.server.person('publisher');
  const user = await world.linked(person);
  await publish(person, 'report', 2);
  const dry = await world.say(user, 'subscribe report deploys --dry-run');
  expect(textOf(dry)).toContain('would have received 2 notifications');
  expect(textOf(await world.say(user, 'subscriptions'))).toContain('has no subscriptions');
  const quiet = await world.say(user, 'subscribe report failures --quiet 0-23 --dry-run');
  expect(textOf(quiet)).toContain('would have received 0 notifications');
  expect(textOf(await world.say(user, 'subscribe report --quiet 25-3'))).toContain('must be hours');
  const both = await world.say(user, 'subscribe report usage-daily usage-weekly');
  expect(textOf(both)).toContain('Choose one of');
  await world.say(user, 'subscribe report usage-weekly');
  const list = await world.say(user, 'subscriptions');
  expect(textOf(list)).toContain('weekly usage');
  expect(textOf(await world.press(user, list, 'unsubscribe:0'))).toContain('Unsubscribed this channel');
  expect(textOf(await world.say(user, 'unsubscribe report'))).toContain('not subscribed to that');
});

test('a subscription to many ends by what it was made with', async () => {
  world = await makeWorld();
  const user = await world.linked(await world.server.person('publisher'));
  for (const many of ['--all', '--owner me', '--type shiny']) {
    await world.say(user, `subscribe ${many}`);
    expect(textOf(await world.say(user, `unsubscribe ${many}`)), many).toContain('Unsubscribed this channel');
    expect(textOf(await world.say(user, `unsubscribe ${many}`)), many).toContain('not subscribed to that');
  }
  expect(textOf(await world.say(user, 'unsubscribe report --all'))).toContain('takes the place of a name');
  expect(textOf(await world.say(user, 'unsubscribe'))).toContain('Name the content');
});

test('the weekly digest is posted once, despite repetitions', async () => {
  world = await makeWorld();
  const person = await world.server.person('publisher');
  const user = await world.linked(person);
  const { guid } = await publish(person, 'report');
  await world.say(user, 'subscribe report usage-weekly');
  const { store } = world.bot.services;
  const [subscription] = await store.subscriptions({ content: guid });
  const digests = () =>
    world.slack.inChannel(world.channel).filter((message) => textOf(message).includes('Usage last week'));
  await world.bot.watcher.digests();
  expect(digests()).toEqual([]);
  for (let round = 0; round < 2; round += 1) {
    // As if the bot had died after posting, before recording it.
    await store.finishDigest(subscription!, 0);
    await world.bot.watcher.digests();
  }
  await world.bot.watcher.digests();
  expect(digests()).toHaveLength(1);
  expect(textOf(digests()[0]!)).toContain('report');
});

test('the server’s audit log names the Slack user', async () => {
  world = await makeWorld();
  const person = await world.server.person('publisher');
  const user = await world.linked(person);
  await publish(person, 'report');
  await world.say(user, 'deploy report');
  await world.bot.idle();
  const admin = await world.server.administrator();
  const { body } = await admin.call('GET', '/v1/audit_logs?ascOrder=false&limit=5');
  const [entry] = body.results.filter(({ action }: { action: string }) => action === 'deploy_application');
  expect(entry.event_description).toContain(`Slack user ${user.id}`);
});

test('during rotation both signing secrets are accepted, and no other', async () => {
  const secrets = { kind: 'http', signingSecrets: ['the next secret', 'double-signing-secret'] } as const;
  world = await makeWorld({ config: { receive: secrets } });
  const user = world.slack.user('ada');
  expect(textOf(await world.say(user, 'help'))).toContain('/pressroom status');
  const body = 'command=%2Fpressroom&text=help';
  expect((await postSigned(body, 'the next secret')).status).toBe(200);
  expect((await postSigned(body, 'another one')).status).toBe(401);
});

test.each([
  ['payload=null', 'application/x-www-form-urlencoded'],
  ['payload=%20null%0A', 'application/x-www-form-urlencoded'],
  ['null', 'application/json'],
])('refuses a signed %j with 400, and goes on', async (body, type) => {
  world = await makeWorld();
  expect((await postSigned(body, 'double-signing-secret', type)).status).toBe(400);
  expect(textOf(await world.say(world.slack.user('ada'), 'help'))).toContain('/pressroom status');
});

/** Sends a body to the bot as Slack does. */
function postSigned(body: string, secret: string, type = 'application/x-www-form-urlencoded') {
  const time = String(Math.floor(Date.now() / 1000));
  const mac = createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex');
  const headers = {
    'content-type': type,
    'x-slack-request-timestamp': time,
    'x-slack-signature': `v0=${mac}`,
  };
  const url = `${world.bot.url}/slack/events`;
  return fetch(url, { method: 'POST', body, headers, signal: AbortSignal.timeout(10_000) });
}

test('serves health and metrics', async () => {
  world = await makeWorld();
  const user = world.slack.user('ada');
  await world.say(user, 'help');
  expect(await (await fetch(`${world.bot.url}/health`)).json()).toMatchObject({ status: 'ok' });
  expect(await (await fetch(`${world.bot.url}/metrics`)).text()).toMatch(/pressroom_slack_commands_total 1/);
});

test('its health is bad while it has no connection to Slack', async () => {
  world = await makeWorld({ socket: true });
  const health = async () => {
    const response = await fetch(`${world.bot.url}/health`);
    return { code: response.status, ...((await response.json()) as object) };
  };
  await expect.poll(health).toMatchObject({ code: 200, database: 'ok', slack: 'connected' });
  world.slack.faults.down = true;
  world.slack.refreshSockets();
  await expect
    .poll(health)
    .toMatchObject({ code: 503, status: 'unavailable', database: 'ok', slack: 'disconnected' });
  world.slack.faults.down = false;
  await expect.poll(health).toMatchObject({ code: 200, status: 'ok', slack: 'connected' });
});

test('removing the app from a workspace deletes its token, keys and subscriptions', async () => {
  const oauth = { kind: 'oauth', clientId: '1.2', clientSecret: 'secret', stateSecret: 'state' } as const;
  world = await makeWorld({ config: { slack: oauth } });
  const { store } = world.bot.services;
  const { team } = world.slack.space;
  const install = `install/${team}`;
  await store.saveInstallation(
    install,
    JSON.stringify({ team: { id: team }, bot: { token: world.slack.botToken } }),
  );
  const person = await world.server.person('publisher');
  const user = await world.linked(person);
  await publish(person, 'report');
  await world.say(user, 'subscribe report');
  await world.slack.event({ type: 'app_uninstalled' });
  await world.bot.idle();
  expect(await store.readInstallation(install)).toBeNull();
  expect(await store.findLink(team, user.id)).toBeNull();
  expect(await store.subscriptions({ team })).toEqual([]);
});

test('removing the app from an organization deletes the data of all its workspaces', async () => {
  const oauth = { kind: 'oauth', clientId: '1.2', clientSecret: 'secret', stateSecret: 'state' } as const;
  world = await makeWorld({ config: { slack: oauth } });
  const { store } = world.bot.services;
  const { team } = world.slack.space;
  const bot = { token: world.slack.botToken };
  await store.saveInstallation(
    'install/E1',
    JSON.stringify({ enterprise: { id: 'E1' }, authVersion: 'v2', bot }),
  );
  for (const one of [team, 'T0OTHER']) await store.saveInstallation(`grid/${one}`, 'E1');
  await store.saveInstallation('grid/T0STRANGER', 'E2');
  const link = { slack_user: 'U1', slack_name: 'ada', server_user: 'g', username: 'ada', key: 'k' };
  for (const one of ['T0OTHER', 'T0STRANGER']) await store.saveLink({ ...link, team: one });
  await world.slack.event({ type: 'app_uninstalled' }, 'EvOrganization', { enterprise: 'E1' });
  await world.bot.idle();
  expect(await store.readInstallation('install/E1')).toBeNull();
  expect(await store.findLink('T0OTHER', 'U1')).toBeNull();
  expect(await store.findLink('T0STRANGER', 'U1')).not.toBeNull();
});

test('an organization that takes the app away from a workspace deletes its data alone', async () => {
  const oauth = { kind: 'oauth', clientId: '1.2', clientSecret: 'secret', stateSecret: 'state' } as const;
  world = await makeWorld({ config: { slack: oauth } });
  const { store } = world.bot.services;
  const { team } = world.slack.space;
  const bot = { token: world.slack.botToken };
  await store.saveInstallation(
    'install/E1',
    JSON.stringify({ enterprise: { id: 'E1' }, authVersion: 'v2', bot }),
  );
  const link = { slack_user: 'U1', slack_name: 'ada', server_user: 'g', username: 'ada', key: 'k' };
  for (const one of [team, 'T0OTHER']) {
    await store.saveInstallation(`grid/${one}`, 'E1');
    await store.saveLink({ ...link, team: one });
  }
  const event = { type: 'team_access_revoked', team_ids: ['T0OTHER'] };
  await world.slack.event(event, 'EvWorkspace', { enterprise: 'E1' });
  await world.bot.idle();
  expect(await store.findLink('T0OTHER', 'U1')).toBeNull();
  expect(await store.readInstallation('grid/T0OTHER')).toBeNull();
  expect(await store.findLink(team, 'U1')).not.toBeNull();
  expect(await store.readInstallation('install/E1')).not.toBeNull();
});

test('unknown addresses return 404 without logging their headers', async () => {
  world = await makeWorld();
  for (const path of ['/', '/slack/elsewhere', '/slack/events']) {
    const { status } = await fetch(`${world.bot.url}${path}`, { headers: { cookie: 'secret=1' } });
    expect(status, path).toBe(404);
  }
});

test('only the bot can read the store, even in a shared directory', async () => {
  world = await makeWorld();
  const names = (await readdir(dirname(world.config.store))).filter((name) =>
    name.startsWith('slack.sqlite'),
  );
  for (const name of names)
    expect((await stat(join(dirname(world.config.store), name))).mode & 0o777, name).toBe(0o600);
  expect(names.length).toBeGreaterThan(0);
});

/** Installs the app into the workspace, as a browser does. */
async function install(): Promise<void> {
  const begin = await fetch(`${world.bot.url}/slack/install`, { redirect: 'manual' });
  const target = new URL(begin.headers.get('location')!);
  expect(target.searchParams.get('scope')).toContain('chat:write');
  const query = new URLSearchParams({
    code: 'good-code',
    state: target.searchParams.get('state')!,
  }).toString();
  const cookie = begin.headers
    .getSetCookie()
    .map((text) => text.split(';')[0])
    .join('; ');
  const end = await fetch(`${world.bot.url}/slack/oauth_redirect?${query.toString()}`, {
    headers: { cookie },
  });
  expect(end.status).toBe(200);
}

test.each([{ type: 'app_uninstalled' }, { type: 'tokens_revoked', tokens: { bot: ['U0BOT'] } }])(
  'an event $type that comes late removes no newer installation',
  async (event) => {
    const oauth = { kind: 'oauth', clientId: '1.2', clientSecret: 'secret', stateSecret: 'state' } as const;
    world = await makeWorld({ config: { slack: oauth } });
    const { store } = world.bot.services;
    const { team } = world.slack.space;
    const before = Math.floor(Date.now() / 1000) - 2;
    await install();
    const person = await world.server.person('publisher');
    const user = await world.linked(person);
    await world.slack.event(event, 'EvLate', { time: before });
    await world.bot.idle();
    expect(await store.readInstallation(`install/${team}`)).toContain(world.slack.botToken);
    expect(await store.findLink(team, user.id)).not.toBeNull();

    await world.slack.event(event);
    await world.bot.idle();
    expect(await store.readInstallation(`install/${team}`)).toBeNull();
    expect(await store.findLink(team, user.id)).toBeNull();
  },
);

test('workspaces install the app over OAuth with their own tokens; others are rejected', async () => {
  const oauth = { kind: 'oauth', clientId: '1.2', clientSecret: 'secret', stateSecret: 'state' } as const;
  world = await makeWorld({ config: { slack: oauth } });
  const person = await world.server.person('publisher');
  const user = await world.linked(person);
  await world.slack.command(user, world.channel, 'deploy report');
  await world.bot.idle();
  expect(world.slack.space.messages).toEqual([]);

  await install();
  expect(await world.bot.services.store.readInstallation(`install/${world.slack.space.team}`)).toContain(
    world.slack.botToken,
  );

  await publish(person, 'report');
  await world.say(user, 'deploy report');
  await world.bot.idle();
  expect(world.slack.inChannel(world.channel)).toHaveLength(1);
});
