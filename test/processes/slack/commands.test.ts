// Covers every command, with the rights of each person, with a real server and the Slack double.
import {
  grant,
  makeQuickRenderer,
  publish as publishReport,
  QUICK_DOCUMENT,
  quickDocument,
  type Person,
} from '@pressroom/testkit';
import type { DoubleMessage, DoubleUser } from '@pressroom/testkit/slack';
import { pings, violations } from '@pressroom/testkit/slack';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeWorld, publish, textOf, type World } from './world.ts';

const stack = new AsyncDisposableStack();
let world: World;
let admin: { person: Person; user: DoubleUser };
let publisher: { person: Person; user: DoubleUser };
let viewer: { person: Person; user: DoubleUser };
let sales: { guid: string; bundles: string[] };

beforeAll(async () => {
  const { settings } = stack.use(await makeQuickRenderer());
  world = stack.use(await makeWorld({ settings }));
  const as = async (person: Person) => ({ person, user: await world.linked(person) });
  admin = await as(await world.server.administrator());
  publisher = await as(await world.server.person('publisher', { first_name: 'Pia', last_name: 'Publisher' }));
  viewer = await as(await world.server.person('viewer'));
  sales = await publish(publisher.person, 'sales-report', 2, { title: 'Sales report' });
  await publish(publisher.person, 'sales-europe', 1, { title: 'Sales Europe', access_type: 'acl' });
  await publish(publisher.person, 'staff', 1, { title: '<!channel> @here 👩‍👩‍👧‍👦' });
});
afterAll(() => stack.disposeAsync());

const say = async (who: { user: DoubleUser }, line: string) => textOf(await world.say(who.user, line));
const last = (message: DoubleMessage) => JSON.stringify(message.blocks);

describe('Commands on content', () => {
  test('help lists every command, and explains one', async () => {
    expect(await say(publisher, '')).toContain('/pressroom status');
    expect(await say(publisher, 'help rollback')).toContain('after you confirm');
  });

  test('a mistyped command gets a suggestion that runs it', async () => {
    const message = await world.say(publisher.user, 'stauts sales-report');
    expect(textOf(message)).toContain('Unknown command');
    const response = await world.press(publisher.user, message, 'run:0');
    expect(textOf(response)).toContain('Sales report');
  });

  test('status shows whether content is live, its owner and its bundle', async () => {
    const text = await say(publisher, 'status “sales-report”');
    expect(text).toContain('Live');
    expect(text).toContain('Pia Publisher');
    expect(text).toContain(`${sales.bundles[1]} (2 bundles)`);
  });

  test('status accepts an address, a GUID and a part of a title', async () => {
    for (const subject of [`<${world.server.url}/content/${sales.guid}/>`, sales.guid, 'les REPORT']) {
      expect(await say(publisher, `status ${subject}`), subject).toContain('Live');
    }
  });

  test('several matches offer a choice that continues the command', async () => {
    const message = await world.say(publisher.user, 'usage sales');
    expect(textOf(message)).toContain('2 content items match');
    const response = await world.press(publisher.user, message, 'pick', sales.guid);
    expect(textOf(response)).toContain('Usage of Sales report');
    const again = await world.press(publisher.user, message, 'pick', sales.guid);
    expect(textOf(again)).toContain('has expired');
  });

  test('content hidden from the user is not found, nor suggested', async () => {
    const { guid } = (await publisher.person.call('GET', '/v1/content?name=sales-europe')).body[0] as {
      guid: string;
    };
    for (const subject of ['sales-europe', guid]) {
      const text = await say(viewer, `status ${subject}`);
      expect(text, subject).toContain('No content that you can see');
      expect(text).not.toContain('Europe');
    }
  });

  test('status without a name shows the server and the user’s content', async () => {
    const text = await say(publisher, 'status');
    expect(text).toContain(world.server.url);
    expect(text).toContain('Your content* (3)');
  });

  test('a title cannot mention people or break a message', async () => {
    const message = await world.say(publisher.user, 'status staff');
    expect(pings(message)).toEqual([]);
    expect(violations(message)).toEqual([]);
  });

  test('deploys show administrators the audit log, and publishers every deploy of their content', async () => {
    for (const line of ['deploys sales-report --since 30d', 'deploys']) {
      const text = await say(admin, line);
      expect(text, line).toMatch(/Sales report: bundle \d+/);
      expect(text, line).toContain('Succeeded, active');
      // Neither GUIDs nor tasks.
      expect(text, line).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}|, task/);
    }
    const own = await say(publisher, 'deploys sales-report');
    expect(own).toContain(`Sales report: bundle ${sales.bundles[1]}`);
    expect(own).toContain('Succeeded, active');
    await admin.person.call('POST', `/v1/content/${sales.guid}/deploy`, { body: {} });
    expect((await say(publisher, 'deploys sales-report')).split('Sales report: bundle')).toHaveLength(4);
  });

  test('a channel is not subscribed to renderings of what is never rendered', async () => {
    const said = await say(publisher, 'subscribe sales-report renderings');
    expect(said).toBe('*Sales report* is no document: nothing of it is rendered on a schedule.');
    expect(await say(publisher, 'subscriptions')).not.toContain('Sales report');
  });

  test('who shows people with access to collaborators only', async () => {
    const path = `/v1/content/${sales.guid}/permissions`;
    const body = { principal_guid: viewer.person.guid, principal_type: 'user', role: 'viewer' };
    await publisher.person.call('POST', path, { body });
    expect(await say(publisher, 'who sales-report')).toContain(viewer.person.username);
    expect(await say(viewer, 'who sales-report')).toContain('Only collaborators can see');
  });

  test('who shows a collaborator without the publisher role as viewer', async () => {
    const former = await world.server.person('publisher', { first_name: 'Fritz', last_name: 'Former' });
    await grant(publisher.person, sales.guid, former, 'owner');
    expect(await say(publisher, 'who sales-report')).toMatch(/Former .*\nCan edit/);
    await admin.person.call('PUT', `/v1/users/${former.guid}`, { body: { user_role: 'viewer' } });
    expect(await say(publisher, 'who sales-report')).toMatch(/Former .*\nCan view/);
  });

  test('logs show the last deploy, and send the whole log as a file', async () => {
    let message = await world.say(publisher.user, 'logs sales-report');
    // The deploy of an earlier test may still be running.
    while (textOf(message).includes('still running'))
      message = await world.say(publisher.user, 'logs sales-report');
    expect(textOf(message)).toContain('succeeded');
    await world.slack.click(publisher.user, message, 'logs:file');
    const file = await world.slack.until(() =>
      [...world.slack.space.files.values()].find(
        ({ channel, bytes }) => channel?.startsWith('D') && bytes.length > 0,
      ),
    );
    expect(file.bytes.toString()).toContain('Activated');
  });

  test('logs show the last deploy to a bot that cannot read the audit log', async () => {
    await using other = await makeWorld({ events: false, config: { serviceKey: null } });
    const person = await other.server.person('publisher');
    const user = await other.linked(person);
    await publish(person, 'report');
    expect(textOf(await other.say(user, 'logs report'))).toContain('succeeded');
  });

  test('logs of a deploy are restricted to collaborators', async () => {
    expect(await say(viewer, 'logs sales-report')).toContain('failed');
  });

  test('usage counts visits with a native chart and a table', async () => {
    const { db } = world.server.running.services.storage;
    const visit = { content_guid: sales.guid, time: Date.now() * 1000, bundle_id: 1, data_version: 1 };
    const rows = [publisher.person.guid, viewer.person.guid, null].map((user_guid) => ({
      ...visit,
      user_guid,
    }));
    await db
      .insertInto('visit')
      .values(rows.map((row) => ({ ...row, rendering_id: null, variant_key: null })))
      .execute();
    const message = await world.say(publisher.user, 'usage sales-report --last 7d');
    expect(message.blocks.map(({ type }) => type)).toContain('data_visualization');
    expect(message.blocks.map(({ type }) => type)).toContain('table');
    expect(textOf(message)).toMatch(/Visits\*\n3/);
    expect(textOf(message)).toMatch(/People\*\n2/);
    const byUser = await world.say(publisher.user, 'usage sales-report --by user');
    expect(textOf(byUser)).toContain('Pia Publisher');
    expect(textOf(await world.say(publisher.user, 'usage'))).toContain('Usage of your content');
  });

  test('usage says that requests to an API are not counted', async () => {
    const { db } = world.server.running.services.storage;
    const { guid } = await publish(publisher.person, 'orders');
    await db
      .updateTable('content')
      .set({ app_mode: 'api', kind: 'python-fastapi' })
      .where('guid', '=', guid)
      .execute();
    expect(await say(publisher, 'usage orders')).toContain('is an API');
  });

  test('sharing a response with the channel repeats it with the sharer’s rights', async () => {
    const message = await world.say(publisher.user, 'status sales-report');
    const before = world.slack.inChannel(world.channel).length;
    await world.slack.click(publisher.user, message, 'share');
    const shared = await world.slack.until(() => world.slack.inChannel(world.channel)[before]);
    expect(textOf(shared)).toContain('Sales report');
  });

  test('only a response is shared with the channel: failures and offers are for the sharer', async () => {
    const { store } = world.bot.services;
    const [team, person] = [world.slack.space.team, publisher.user.id];
    const message = await world.say(publisher.user, 'status sales-report');
    const link = await store.findLink(team, person);
    const before = world.slack.inChannel(world.channel).length;
    const share = async () => textOf(await world.press(publisher.user, message, 'share'));
    await store.saveLink({ ...link!, key: 'x'.repeat(32) });
    expect(await share()).toContain('no longer valid');
    await store.removeLink(team, person);
    expect(await share()).toContain('Link it once');
    await store.saveLink(link!);
    expect(world.slack.inChannel(world.channel)).toHaveLength(before);
  });

  test('a button posts its response separately and keeps the message', async () => {
    const message = await world.say(publisher.user, 'status sales-report');
    const before = textOf(message);
    const response = await world.press(publisher.user, message, 'run:usage');
    expect(textOf(response)).toContain('Usage of');
    expect(textOf(message)).toBe(before);
  });

  test('a workspace that rejects charts gets pictures for a day', async () => {
    world.slack.faults.charts = false;
    const message = await world.say(publisher.user, 'usage sales-report');
    const types = message.blocks.map(({ type }) => type);
    expect(types).toContain('image');
    expect(types).toContain('table');
    const [file] = [...world.slack.space.files.values()].filter(({ name }) => name === 'usage.png');
    expect(file!.bytes.subarray(1, 4).toString()).toBe('PNG');
    const charts = async () => {
      const again = await world.say(publisher.user, 'usage sales-report');
      return again.blocks.some(({ type }) => type === 'data_visualization');
    };
    world.slack.faults.charts = true;
    expect(await charts()).toBe(false);
    world.later(25 * 3_600_000);
    expect(await charts()).toBe(true);
  });

  test('render renders a report with given values and links to it', async () => {
    const { guid } = await publishReport(
      admin.person,
      quickDocument('print("Of", region)', { region: 'North' }),
      {
        metadata: QUICK_DOCUMENT,
        fields: { name: 'numbers', title: 'Numbers', access_type: 'logged_in' },
      },
    );
    const text = await say(admin, 'render numbers "region=New York"');
    const [url = '', key] = /http\S+\/_variant\/(\w{16})\//.exec(text) ?? [];
    expect(text).toContain('Rendering *Numbers*');
    const at = `/v1/content/${guid}/variants/${key}`;
    const read = async () => (await admin.person.call('GET', at)).body.rendered_time;
    await expect.poll(read).not.toBeNull();
    const page = await admin.person.call('GET', `/${new URL(url).pathname}`);
    expect(page.bytes.toString()).toContain('Of New York');
    expect(await say(admin, 'render numbers regio=x')).toContain('The parameters are: region');
    expect(await say(admin, 'render numbers --variant East')).toContain('There is no variant East');
    expect(await say(viewer, 'render numbers region=x')).toContain('code 22');
  });
});

describe('Commands on people', () => {
  test('a name, an e-mail address and a mention find the same person', async () => {
    const names = ['Pia Publisher', 'publisher pia', 'Pia Publisher (publisher1)'];
    for (const subject of [...names, 'publisher1', 'publisher1@example.com', `<@${publisher.user.id}|pia>`]) {
      expect(await say(admin, `user ${subject}`), subject).toContain('Pia Publisher');
    }
  });

  test('options take a mention and an e-mail address, too', async () => {
    const { user, person } = publisher;
    for (const who of [`<@${user.id}>`, `<mailto:${person.username}@example.com|x>`, `@${person.username}`]) {
      const audit = await say(admin, `audit --user ${who}`);
      expect(audit, who).toContain(`Audit log* of ${person.username}`);
      expect(audit, who).toContain(`(${person.username})`);
      expect(await say(admin, `subscribe --owner ${who}`), who).toContain(`content of ${person.username}`);
    }
    expect(await say(admin, 'audit --user nobody@example.com')).toContain('No account');
    expect(await say(admin, 'subscribe --owner nobody@example.com')).toContain('There is no user');
    // The start of a username, which `user` would find.
    const start = person.username.slice(0, -1);
    expect(await say(admin, `subscribe --owner @${start}`)).toContain('There is no user');
  });

  test('a mention of somebody whom Slack does not know is explained', async () => {
    expect(await say(admin, 'user <@U0GONE>')).toContain('Slack does not share the email address');
  });

  test('an unknown type is refused with those that there are', async () => {
    expect(await say(admin, 'subscribe --type Shiny')).toContain('content of type shiny');
    expect(await say(admin, 'subscribe --type dashboards')).toMatch(
      /There is no type \*dashboards\*\. Use one of: shiny, [^]*python-streamlit/,
    );
  });

  test('only administrators lock and unlock with a button', async () => {
    const message = await world.say(admin.user, `user ${viewer.person.username}`);
    expect(textOf(await world.press(admin.user, message, 'lock'))).toContain('is locked now');
    const locked = await world.say(admin.user, `user ${viewer.person.username}`);
    expect(textOf(locked)).toContain(':lock: Locked');
    expect(textOf(await world.press(admin.user, locked, 'lock'))).toContain('is unlocked now');
    expect(last(await world.say(publisher.user, `user ${viewer.person.username}`))).not.toContain('"lock"');
  });

  test('the audit log is restricted to administrators', async () => {
    expect(await say(admin, 'audit --last 1d')).toContain('Audit log');
    expect(await say(publisher, 'audit')).toBe('Only administrators can read the audit log.');
  });
});
