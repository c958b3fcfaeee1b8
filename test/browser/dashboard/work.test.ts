// Covers work in the dashboard without JavaScript: each form works by itself, and nothing typed is lost.
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { finishedTask, ownAddress, publish, signIn, startTestServer } from '@pressroom/testkit';
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appendAudit } from '../../../packages/server/src/audit/store.ts';
import { ASGI, asgi } from '../../runtime/python-content.ts';
import { follow, makeWorld, type World } from './world.ts';

let world: World;
let tab: Page;
beforeAll(async () => {
  world = await makeWorld();
  tab = await world.enter(world.administrator, { javaScriptEnabled: false });
});
afterAll(() => world[Symbol.asyncDispose]());

const noteOf = () => tab.getByRole('status').first().innerText();
const go = (path: string) => tab.goto(world.root + path);
const press = (name: string) => follow(tab.getByRole('main').getByRole('button', { name, exact: true }));

test('a key is created, shown once, used and revoked', async () => {
  const key = await makeKey('for the test');
  const ask = () => world.server.anonymous('GET', '/v1/user', { headers: { Authorization: `Key ${key}` } });
  expect((await ask()).body).toMatchObject({ username: world.administrator.username });
  await go('/keys');
  expect(await tab.content()).not.toContain(key);
  const row = tab.getByRole('row', { name: /for the test/ });
  await row.getByLabel('Confirm').check();
  await row.getByRole('button', { name: 'Revoke' }).click();
  expect(await noteOf()).toBe('Key revoked.');
  expect((await ask()).status).toBe(401);
});

async function makeKey(name: string): Promise<string> {
  await go('/keys');
  await tab.getByLabel('Name').fill(name);
  await press('Create key');
  // Said by screen readers, and ready to be copied.
  await tab.locator('#secret:focus').waitFor();
  return tab.getByLabel(/^Key/).inputValue();
}

test('search finds content, and titles are escaped', async () => {
  await go('/');
  await tab.getByLabel('Search').fill('sales report');
  await press('Search');
  await tab.getByRole('link', { name: 'Sales <report> & more' }).click();
  expect(await tab.getByRole('heading', { level: 1 }).innerText()).toBe('Sales <report> & more');
});

test('content is filtered by type and owner, and tags lead to all tagged content', async () => {
  const { administrator, publisher } = world;
  const tag = async (name: string, parent_id: string | null) => {
    const { body } = await administrator.call('POST', '/v1/tags', { body: { name, parent_id } });
    return (body as { id: string }).id;
  };
  const team = await tag('My "best" team', await tag('Teams', null));
  const tagged = await publish(publisher, { 'index.html': 'x' }, { fields: { title: 'With a tag' } });
  await publisher.call('POST', `/v1/content/${tagged.guid}/tags`, { body: { tag_id: team } });
  await administrator.call('POST', '/v1/content', { body: { name: 'still-empty' } });
  const titles = () => tab.getByRole('main').locator('tbody tr td:first-child a:not(.tag)').allInnerTexts();
  await world.server.anonymous('GET', tagged.path);
  await go('/');
  expect(await titles()).toEqual(['With a tag', 'Sales <report> & more']);
  const row = tab.getByRole('row', { name: /With a tag/ });
  expect(await row.getByRole('cell').allInnerTexts()).toEqual(
    expect.arrayContaining(['Web page', publisher.username, 'anyone']),
  );
  await expect.poll(async () => (await tab.reload(), await row.innerText())).toMatch(/live\s+1\s/);
  await follow(row.getByRole('link', { name: 'My "best" team' }));
  expect(await titles()).toEqual(['With a tag']);
  await go('/');
  await tab.getByLabel('Type').selectOption('Web pages');
  await tab.getByLabel('Sort by').selectOption('Name');
  await press('Search');
  expect((await titles()).toSorted()).toEqual(['Sales <report> & more', 'With a tag']);
  await tab.getByLabel('Type').selectOption('All');
  await tab.getByLabel('Owner').fill(publisher.username);
  await press('Search');
  expect(await titles()).toHaveLength(2);
  // Content that never went live is listed separately, and its owner is asked to remove it.
  await go('/');
  await tab.getByText('1 of your items was never published.').waitFor();
  await follow(tab.getByRole('link', { name: 'See and remove them' }));
  expect(await titles()).toEqual(['still-empty']);
  expect(await tab.getByRole('row', { name: /still-empty/ }).innerText()).toContain('not published');
  await tab.getByRole('link', { name: 'Remove' }).click();
  await tab.getByLabel('Type still-empty to confirm').waitFor();
  await go('/?q=still');
  expect(await titles()).toEqual(['still-empty']);
});

describe('Content item', () => {
  const path = () => `/content/${world.page.guid}`;

  test('rejected settings show the error and keep the input', async () => {
    await go(`${path()}/settings`);
    await tab.getByLabel('Title').fill('no');
    await tab.getByLabel('Description').fill('typed with care');
    await press('Save');
    expect(await tab.getByRole('alert').innerText()).toMatch(/3 to 1024/);
    expect(await tab.getByLabel('Description').inputValue()).toBe('typed with care');
    await tab.getByLabel('Title').fill('Sales, renamed');
    await press('Save');
    expect(await noteOf()).toBe('Settings saved.');
    const content = (await world.publisher.call('GET', `/v1/content/${world.page.guid}`)).body;
    expect(content).toMatchObject({ title: 'Sales, renamed', description: 'typed with care' });
  });

  test('grants and removes access for people', async () => {
    const viewer = await world.server.person('viewer', { first_name: 'Vera', last_name: 'Viewer' });
    await go(`${path()}/access`);
    expect(await tab.locator('#principals').innerHTML()).toContain(`value="${viewer.username}"`);
    for (const name of ['vera viewer', `${viewer.username}@example.com`, viewer.username]) {
      await tab.getByLabel('Name, email or group').fill(name);
      await press('Add');
      expect(await noteOf()).toBe(`Access granted to ${viewer.username}.`);
      expect((await viewer.call('GET', `/v1/content/${world.page.guid}`)).body.app_role).toBe('viewer');
      await tab
        .getByRole('row', { name: new RegExp(viewer.username) })
        .getByRole('button')
        .click();
      expect(await noteOf()).toBe('Access removed.');
    }
  });

  test('changes the role and the end of access', async () => {
    const colleague = await world.server.person('publisher');
    const row = tab.getByRole('row', { name: new RegExp(colleague.username) });
    await go(`${path()}/access`);
    const give = async (role: string, until: string) => {
      await tab.getByLabel('Name, email or group').fill(colleague.username);
      await tab.getByLabel('Role').selectOption(role);
      await tab.getByLabel('Until', { exact: true }).fill(until);
      await press('Add');
      return noteOf();
    };
    expect(await give('Viewer', '2099-12-31')).toBe(
      `Access granted to ${colleague.username} until 2099-12-31.`,
    );
    expect(await row.innerText()).toMatch(/viewer\s+2099-12-31/);
    expect(await give('Collaborator', '')).toBe(`Access of ${colleague.username} changed.`);
    expect(await row.innerText()).toMatch(/collaborator\s+no end/);
    await row.getByRole('button').click();
    expect(await noteOf()).toBe('Access removed.');
  });

  test('the owner activates an earlier bundle, downloads one and deletes another', async () => {
    const first = (await world.publisher.call('GET', `/v1/content/${world.page.guid}`)).body.bundle_id;
    await publish(world.publisher, { 'index.html': 'two' }, { guid: world.page.guid });
    const own = await world.enter(world.publisher, { javaScriptEnabled: false });
    const main = own.getByRole('main');
    await own.goto(`${world.root}${path()}/bundles`);
    const download = own.waitForEvent('download');
    await main.getByRole('link', { name: 'Download' }).first().click();
    expect((await download).suggestedFilename()).toMatch(/\.tar\.gz$/);
    await main.getByRole('button', { name: 'Activate' }).click();
    await own.waitForURL(/\/tasks\//);
    await finishedTask(world.publisher, own.url().split('/').at(-1)!);
    await own.reload();
    expect(await own.content()).toContain('Succeeded.');
    expect((await world.publisher.call('GET', `/v1/content/${world.page.guid}`)).body.bundle_id).toBe(first);
    await own.goto(`${world.root}${path()}/bundles`);
    await main.getByRole('button', { name: 'Delete' }).click();
    // The browser asks for the box.
    expect((await world.publisher.call('GET', `/v1/content/${world.page.guid}/bundles`)).body).toHaveLength(
      2,
    );
    await main.getByLabel('Confirm').check();
    await main.getByRole('button', { name: 'Delete' }).click();
    expect(await own.getByRole('status').first().innerText()).toMatch(/^Bundle \d+ deleted\.$/);
    await own.context().close();
    // An administrator who is no collaborator may not have the files.
    await go(`${path()}/bundles`);
    expect(await tab.getByRole('link', { name: 'Download' }).count()).toBe(0);
  });

  test('the owner compares two bundles by files and text lines', async () => {
    const { guid } = await publish(world.publisher, { 'index.html': 'one\ntwo\n', 'old.txt': 'x' });
    await publish(world.publisher, { 'index.html': 'one\n<b>2</b>\n' }, { guid });
    const own = await world.enter(world.publisher, { javaScriptEnabled: false });
    await own.goto(`${world.root}/content/${guid}/bundles`);
    await follow(own.getByRole('link', { name: 'Changes' }));
    const rows = own.getByRole('region', { name: 'Changed files' }).getByRole('row');
    expect(await rows.nth(1).innerText()).toMatch(/^index\.html\s+changed\s+8 B\s+13 B$/);
    expect(await rows.nth(2).innerText()).toMatch(/^old\.txt\s+removed\s+1 B/);
    expect(await own.getByLabel('Changes of index.html').innerText()).toMatch(
      /^ {2}one\s+- two\s+\+ <b>2<\/b>\s*$/,
    );
    const [from, to] = [own.getByLabel('Compare', { exact: true }), own.getByLabel('with')];
    const [older, newer] = [await from.inputValue(), await to.inputValue()];
    await from.selectOption(newer);
    await to.selectOption(older);
    await follow(own.getByRole('button', { name: 'Compare' }));
    expect(await rows.nth(2).innerText()).toMatch(/^old\.txt\s+added/);
    await own.context().close();
    // People who may not have the files do not see their contents.
    const other = await tab.goto(`${world.root}/content/${guid}/bundles/compare?from=${older}&to=${newer}`);
    expect(other?.status()).toBe(403);
  });

  test('a vanity path is set and serves the content', async () => {
    await go(`${path()}/access`);
    await tab.getByLabel('Custom path').fill('/sales/');
    await tab.getByRole('main').getByRole('button', { name: 'Save' }).nth(1).click();
    expect(await noteOf()).toBe('Custom path set to /sales/.');
    await go(path());
    expect(await tab.getByRole('link', { name: '/sales/' }).getAttribute('href')).toMatch(
      /^http.*\/sales\/$/,
    );
    expect((await world.server.anonymous('GET', '//sales/')).status).toBe(200);
  });

  test('deleting requires typing the name', async () => {
    const other = await publish(world.publisher, { 'index.html': 'x' });
    await go(`/content/${other.guid}`);
    for (const name of ['', 'another']) {
      await tab.getByLabel(/to confirm/).fill(name);
      await press('Delete this content');
      expect((await world.publisher.call('GET', `/v1/content/${other.guid}`)).status).toBe(200);
    }
    const { body } = await world.publisher.call('GET', `/v1/content/${other.guid}`);
    expect(await tab.getByRole('alert').innerText()).toContain(body.name);
    await tab.getByLabel(`Type ${body.name} to confirm`).fill(body.name);
    await press('Delete this content');
    expect(await noteOf()).toBe('Content deleted.');
    expect((await world.publisher.call('GET', `/v1/content/${other.guid}`)).status).toBe(404);
  });

  test('shows the log of its process, and restarts it', async () => {
    const api = await publish(world.publisher, asgi({ '/': 'print("asked", flush=True)\nanswer = 1' }), {
      metadata: ASGI,
    });
    await world.server.anonymous('GET', api.path);
    await go(`/content/${api.guid}/logs`);
    await tab.getByText(/asked/).waitFor();
    await go(`/content/${api.guid}/usage`);
    expect(await tab.getByRole('img').getAttribute('aria-label')).toMatch(
      /^(Nobody visited|Visits and sessions) from/,
    );
    const { body: before } = await world.publisher.call('GET', `/v1/content/${api.guid}/jobs`);
    await go(`/content/${api.guid}`);
    await press('Restart');
    await tab.getByText('Succeeded').waitFor();
    const { body: after } = await world.publisher.call('GET', `/v1/content/${api.guid}/jobs`);
    const running = (jobs: { key: string; status: number }[]) =>
      jobs.filter(({ status }) => status === 0).map(({ key }) => key);
    expect(running(after)).toHaveLength(1);
    expect(running(before)).not.toEqual(running(after));
    await go(`/content/${api.guid}/logs`);
    expect(await tab.getByRole('row').nth(1).innerText()).toMatch(/[\d.]+ MB\s+\d+ %\s+running/);
    await go('/server');
    const processes = tab.getByRole('region', { name: 'Running processes' });
    expect(await processes.getByRole('link').first().getAttribute('href')).toContain(api.guid);
    expect(await tab.getByRole('main').locator('dd').first().innerText()).toMatch(
      /^\d+, of which 0 failed; median duration [\d.]+ s$/,
    );
    await go(`/content/${api.guid}`);
    await press('Stop processes');
    await tab.waitForURL(/\/tasks\//);
    await finishedTask(world.publisher, tab.url().split('/').at(-1)!);
    await tab.reload();
    expect(await tab.content()).toContain('Succeeded.');
    expect(running((await world.publisher.call('GET', `/v1/content/${api.guid}/jobs`)).body)).toEqual([]);
  });
});

test('people are added, locked and unlocked; groups are created and filled', async () => {
  await go('/users');
  await tab.getByLabel('Username').fill('norma');
  await tab.getByLabel('First name').fill('Norma');
  await tab.getByLabel('Email').fill('norma@example.com');
  await tab.getByLabel('Initial password').fill('short');
  await press('Add');
  expect(await tab.getByRole('alert').innerText()).not.toBe('');
  expect(await tab.getByLabel('First name').inputValue()).toBe('Norma');
  await tab.getByLabel('Initial password').fill('long enough');
  await press('Add');
  expect(await noteOf()).toBe('User norma created.');
  await press('Lock');
  expect(await noteOf()).toBe('Account locked.');
  await press('Unlock');
  await go('/groups');
  await tab.getByLabel('Name').fill('readers');
  await press('Create group');
  await tab.getByLabel('Names or emails').fill('norma');
  await press('Add');
  expect(await noteOf()).toBe('norma added.');
  await go('/audit?action=add_group_member');
  expect(await tab.getByRole('row').count()).toBe(2);
  expect(await tab.getByRole('table').innerText()).toContain('norma');
});

test('the audit log is filtered by days, and so is its download', async () => {
  const db = world.server.running.services.storage.db;
  const mark = `days-${crypto.randomUUID()}`;
  const at = (text: string) => Date.parse(text) * 1000;
  const begin = at('2020-02-01T00:00:00Z');
  const times = [
    begin - 1,
    begin,
    at('2020-02-29T00:00:00Z') + 86_400_000_000 - 1,
    at('2020-03-01T00:00:00Z'),
  ];
  const none = { content_guid: null, bundle_id: null, task_id: null, slack_user: null, seq: null, mac: null };
  const entry = { user_id: '0', user_description: 'nobody', action: 'login', ...none };
  for (const [i, time] of times.entries())
    await appendAudit(db, { ...entry, time, event_description: `${mark} ${i}` });
  await go(`/audit?text=${mark}`);
  expect(await tab.getByRole('row').count()).toBe(5);
  await tab.getByLabel('From (UTC)').fill('2020-02-01');
  await tab.getByLabel('To (UTC)').fill('2020-02-29');
  await press('Filter');
  const shown = await tab.getByRole('table').innerText();
  expect(shown.match(/days-\S+ \d/g)).toEqual([`${mark} 2`, `${mark} 1`]);
  const file = await tab.getByRole('link', { name: 'JSON lines' }).getAttribute('href');
  const text = await (await tab.context().request.get(new URL(file!, tab.url()).href)).text();
  expect(text.match(/days-\S+ \d/g)).toEqual([`${mark} 1`, `${mark} 2`]);
  await go(`/audit?text=${mark}&from=2020-02-31`);
  expect(await tab.getByRole('alert').innerText()).toContain('Days are written like');
  await db.deleteFrom('audit_log').where('event_description', 'like', `${mark}%`).execute();
});

test('a viewer sees only pages for viewers', async () => {
  const viewer = await world.server.person('viewer');
  const their = await world.enter(viewer, { javaScriptEnabled: false });
  await their.goto(`${world.root}/`);
  expect(await their.getByRole('navigation', { name: 'Main' }).innerText()).toBe(
    'Content\nAPI keys\nAccount',
  );
  const own = `/users/${viewer.guid}`;
  for (const path of ['/users', own, '/audit', '/server', '/tags', '/server-check', '/tasks?failed=on']) {
    const response = await their.goto(world.root + path);
    expect(response?.status(), path).toBe(403);
    expect(await their.getByRole('main').innerText()).toContain('This page is for administrators.');
  }
  const { guid } = await publish(world.publisher, { 'index.html': 'x' }, { fields: { access_type: 'acl' } });
  const shown = `/content/${world.page.guid}`;
  for (const [path, words, way, to] of [
    [`${shown}/settings`, 'for the owner and collaborators', 'Back to the content', shown],
    [`/content/${guid}`, 'You may not view this content.', 'Ask for access', `/content/${guid}/request`],
    ['/publish', 'Publishing needs the publisher role.', 'Ask for it in your account', '/account'],
    [`/tasks/${world.page.task.id}`, 'that you do not work on', 'Go to the dashboard', '/'],
    [
      `/content/${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`,
      'There is no such content.',
      'Go to the dashboard',
      '/',
    ],
  ] as const) {
    await their.goto(world.root + path);
    expect(await their.getByRole('main').innerText()).toContain(words);
    await follow(their.getByRole('link', { name: way }));
    expect(their.url()).toBe(world.root + to);
    expect(await their.getByRole('heading', { level: 1 }).innerText()).not.toBe('This page cannot be shown');
  }
  // Others' groups can be seen, and no form is refused.
  await their.goto(`${world.root}/groups`);
  expect(await their.getByRole('main').getByRole('button').count()).toBe(0);
  await their.context().close();
});

test('signing out ends the session', async () => {
  const other = await world.enter(world.publisher, { javaScriptEnabled: false });
  await other.goto(`${world.root}/keys`);
  const cookies = await other.context().cookies();
  await other.getByRole('button', { name: 'Sign out' }).click();
  await other.getByRole('heading', { name: 'Signed out' }).waitFor();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  expect((await world.server.anonymous('GET', '/v1/user', { headers: { cookie } })).status).toBe(401);
  await other.context().close();
});

test('after signing out, Back does not show private content', async () => {
  const { settings } = await ownAddress();
  await using server = await startTestServer({ settings: { ...settings, 'Server.ContentOrigin': 'shared' } });
  const owner = await server.person('publisher');
  const { guid } = await publish(
    owner,
    { 'index.html': '<h1>Private</h1>' },
    { fields: { access_type: 'logged_in' } },
  );
  const context = await world.browser.newContext();
  await signIn(context, server.url, owner.username);
  const tab = await context.newPage();
  await tab.goto(`${server.url}/content/${guid}/`);
  await tab.getByRole('heading', { name: 'Private' }).waitFor();
  await tab.goto(`${server.url}/__dashboard__/`);
  await tab.getByRole('button', { name: 'Sign out' }).click();
  await tab.getByRole('heading', { name: 'Signed out' }).waitFor();
  await tab.evaluate('history.go(-2)');
  await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await tab.getByRole('heading', { name: 'Private' }).count()).toBe(0);
  await context.close();
});

test('with JavaScript the log of a running task grows', async () => {
  const live = await world.enter(world.publisher);
  const slow = 'for i in range(40):\n    print("line", i, flush=True)\n    time.sleep(0.05)\n';
  const publishing = publish(world.publisher, asgi({ '/': 'answer = 1' }, slow), { metadata: ASGI });
  const { db } = world.server.running.services.storage;
  const open = () => db.selectFrom('task').select('id').where('finished', '=', 0).executeTakeFirst();
  let task = await open();
  while (!task) {
    await delay(10);
    task = await open();
  }
  await live.goto(`${world.root}/tasks/${task.id}`);
  expect(await live.title()).toMatch(/^Running · Deploy of /);
  await live.getByText(/line 39/).waitFor();
  expect((await publishing).task).toMatchObject({ code: 0 });
  await live.getByRole('status').getByText('Succeeded.').waitFor();
  // Read by people who wait in another tab, and by screen readers when the page has reloaded.
  expect(await live.title()).toMatch(/^Succeeded · Deploy of /);
  const printed = (await live.getByRole('log', { name: 'Output' }).innerText())
    .split('\n')
    .filter((line) => /^line \d/.test(line));
  expect(printed).toEqual(Array.from({ length: 40 }, (_, i) => `line ${i}`));
  await live.context().close();
});

test('a long output begins with its last lines, at their end, and can be shown whole', async () => {
  const { task } = await publish(world.publisher, { 'index.html': 'x' });
  await world.server.running.services.storage.write(async (tx) => {
    await tx.deleteFrom('task_output').where('task_id', '=', task.id).execute();
    for (let from = 0; from < 6000; from += 1000) {
      const numbers = Array.from({ length: 1000 }, (_, i) => from + i);
      const rows = numbers.map((line) => ({ task_id: task.id, line, body: `line ${line}` }));
      await tx.insertInto('task_output').values(rows).execute();
    }
    await tx.updateTable('task').set({ lines: 6000 }).where('id', '=', task.id).execute();
  });
  const page = await world.enter(world.publisher);
  await page.goto(`${world.root}/tasks/${task.id}`);
  const log = page.getByRole('log');
  const [first, last] = [/^line \d+/, /line \d+\n$/];
  const edges = async () => {
    const text = (await log.textContent())!;
    return [first.exec(text)![0], last.exec(text)![0].trim()];
  };
  expect(await edges()).toEqual(['line 1000', 'line 5999']);
  const left = await log.evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop);
  expect(left).toBeLessThan(4);
  await page.getByText('Lines before these: 1000.').waitFor();
  await page.getByRole('link', { name: 'Show the whole output' }).click();
  await expect.poll(edges).toEqual(['line 0', 'line 5999']);
  await page.context().close();
});

test('with JavaScript the log of a process grows, and the page shows its end', async () => {
  const prints = 'print("asked", headers["x-count"], flush=True)\nanswer = 1';
  const api = await publish(world.publisher, asgi({ '/': prints }), { metadata: ASGI });
  const ask = (count: number) =>
    world.publisher.call('GET', api.path, { headers: { 'X-Count': String(count) } });
  await ask(1);
  const live = await world.enter(world.publisher);
  await live.goto(`${world.root}/content/${api.guid}/logs`);
  await live.getByText('asked 1').waitFor();
  for (const count of [2, 3]) {
    await ask(count);
    await live.getByText(`asked ${count}`).waitFor();
  }
  const asked = (await live.getByRole('log', { name: /^Log of/ }).innerText()).match(/asked \d/g);
  expect(asked).toEqual(['asked 1', 'asked 2', 'asked 3']);
  const lines = async () => (await live.locator('pre').innerText()).match(/asked \d/g);
  await live.getByLabel('Filter').fill('ASKED 2');
  expect(await lines()).toEqual(['asked 2']);
  await live.getByLabel('Filter').fill('');
  await live.getByRole('button', { name: 'Pause' }).click();
  await ask(4);
  await live.getByRole('status').getByText('1 new line').waitFor();
  expect(await lines()).toEqual(['asked 1', 'asked 2', 'asked 3']);
  await live.getByRole('button', { name: 'Continue' }).click();
  expect(await lines()).toEqual(['asked 1', 'asked 2', 'asked 3', 'asked 4']);
  const download = live.waitForEvent('download');
  await live.getByRole('link', { name: 'Download this log' }).click();
  expect(await readFile(await (await download).path(), 'utf8')).toMatch(/asked 4/);
  await world.publisher.call('POST', `/applications/${api.guid}/terminate`);
  await expect.poll(() => live.getByRole('row').nth(1).innerText()).not.toContain('running');
  await live.context().close();
});

test('with JavaScript a page whose process ends takes neither a click nor typed text', async () => {
  const api = await publish(world.publisher, asgi({ '/': 'answer = 1' }), { metadata: ASGI });
  await world.publisher.call('GET', api.path);
  const live = await world.enter(world.publisher);
  let end = () => {};
  const open = async () => {
    const ended = new Promise<void>((resolve) => (end = resolve));
    await live.route('**/log?*', async (route) => {
      await ended;
      await route.fulfill({ json: { entries: [], last: 0, finished: true } });
    });
    await live.goto(`${world.root}/content/${api.guid}/logs`);
  };
  const isSaid = () => live.getByRole('status').getByText('Ended: reload the page').waitFor();
  await open();
  await live.getByLabel('Filter').fill('typed');
  end();
  await isSaid();
  expect(await live.getByLabel('Filter').inputValue()).toBe('typed');
  await live.unroute('**/log?*');
  const reloaded = live.waitForEvent('load');
  await live.getByLabel('Filter').fill('');
  await reloaded;
  await open();
  await live.getByRole('link', { name: 'Usage' }).hover();
  await live.mouse.down();
  end();
  await isSaid();
  await live.mouse.up();
  await live.waitForURL(/\/usage$/);
  await live.context().close();
});

test('with JavaScript a log that cannot be followed says why, and resumes when possible', async () => {
  const api = await publish(world.publisher, asgi({ '/': 'answer = 1' }), { metadata: ASGI });
  await world.publisher.call('GET', api.path);
  const live = await world.enter(world.publisher);
  const path = `${world.root}/content/${api.guid}/logs`;
  let responses = 0;
  const respond = (status: number) =>
    live.route('**/log?*', async (route) => {
      responses += 1;
      await (status === 0 ? route.abort() : route.fulfill({ status, json: {} }));
    });
  await respond(0);
  await live.goto(path);
  const said = live.getByRole('status');
  await said.getByText('The server does not respond. Trying again').waitFor();
  // The next request returns 401, and the page stops asking.
  await live.unroute('**/log?*');
  responses = 0;
  await respond(401);
  await said.getByText('You are signed out: reload the page to sign in again.').waitFor();
  await live.unroute('**/log?*');
  await respond(404);
  await live.goto(path);
  await said.getByText('This log can no longer be followed').waitFor();
  expect(responses).toBe(2);
  await live.context().close();
});

test('with JavaScript a log in a tab that nobody sees holds no connection, and continues when it is seen', async () => {
  const prints = 'print("asked", headers["x-count"], flush=True)\nanswer = 1';
  const api = await publish(world.publisher, asgi({ '/': prints }), { metadata: ASGI });
  const ask = (count: number) =>
    world.publisher.call('GET', api.path, { headers: { 'X-Count': String(count) } });
  await ask(1);
  const live = await world.enter(world.publisher);
  const isPoll = (request: Request) => request.url().includes('/log?');
  const polled = live.waitForRequest(isPoll);
  await live.goto(`${world.root}/content/${api.guid}/logs`);
  await polled;
  // Tabs of this browser are never hidden.
  const setHidden = (isHidden: boolean) =>
    live.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
  const closed = live.waitForEvent('requestfailed', isPoll);
  await setHidden(true);
  await closed;
  await ask(2);
  expect(await live.locator('pre').innerText()).not.toContain('asked 2');
  await setHidden(false);
  await live.getByText('asked 2').waitFor();
  await live.context().close();
});

test('with JavaScript a button pressed twice submits once', async () => {
  const twice = await world.enter(world.publisher);
  await twice.goto(`${world.root}/keys`);
  await twice.getByLabel('Name').fill('pressed twice');
  // Submits again before the first response; false means that the form was not sent.
  const press = `(() => {
    const form = document.querySelector('form.row');
    form.requestSubmit();
    return form.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }));
  })()`;
  expect(await twice.evaluate(press)).toBe(false);
  await twice.getByRole('heading', { name: 'New API key' }).waitFor();
  // After going back, another key can be created.
  await twice.goBack();
  await twice.getByLabel('Name').fill('another one');
  await twice.getByRole('button', { name: 'Create key' }).click();
  await twice.getByLabel('Key “another one”').waitFor();
  await twice.context().close();
});
