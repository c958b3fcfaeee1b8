// Covers forms for run settings and group members, with valid and invalid input.
import { errors } from '@pressroom/api/contract';
import { finishedTask, grant, makeArchive, publish, signIn, type Published } from '@pressroom/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { listVariables } from '../../../packages/server/src/content/variables/store.ts';
import { variableContext } from '../../../packages/server/src/platform/secrets/sealed-contexts.ts';
import { ASGI, asgi } from '../../runtime/python-content.ts';
import { follow, makeWorld, openSection, openSections, type World } from './world.ts';

const REPORT = { 'index.Rmd': '---\ntitle: R\noutput: html_document\n---\n`r Sys.getenv("COLOUR")` it is\n' };
const DOCUMENT = { appmode: 'rmd-static', primary_rmd: 'index.Rmd' };

let world: World;
let tab: Page;
beforeAll(async () => {
  world = await makeWorld();
  tab = await world.enter(world.publisher, { javaScriptEnabled: false });
});
afterAll(() => world[Symbol.asyncDispose]());

const note = () => tab.getByRole('status').first().innerText();
const refusal = () => tab.getByRole('alert').innerText();
const go = (path: string) => tab.goto(world.root + path);
const goToSection = async (guid: string, title: string) => {
  await go(`/content/${guid}/settings`);
  await openSection(tab, title);
};
const press = (name: string | RegExp) =>
  follow(tab.getByRole('main').getByRole('button', { name, exact: true }));

async function untilEnded(): Promise<void> {
  await tab.waitForURL(/\/tasks\//);
  await finishedTask(world.publisher, tab.url().split('/').at(-1)!);
  await tab.reload();
}

describe('Settings of a document', () => {
  let report: Published;
  beforeAll(async () => {
    report = await publish(world.publisher, REPORT, { metadata: DOCUMENT });
  });
  const read = (what: string) => world.publisher.call('GET', `/v1/content/${report.guid}/${what}`);

  test('a schedule requires a valid pattern and an existing time zone', async () => {
    await go(`/content/${report.guid}/settings`);
    const often = tab.getByLabel('How often');
    const cronField = tab.getByLabel('Cron expression');
    expect(await cronField.isVisible()).toBe(false);
    await often.selectOption('Another schedule (cron)');
    for (const [cron, zone, why] of [
      ['every monday', 'UTC', /schedule/],
      ['61 * * * *', 'UTC', /schedule/],
      ['0 6 30 2 *', 'UTC', /schedule/],
      ['0 6 * * 1-5', 'Europe/Nowhere', /no time zone Europe\/Nowhere/],
    ] as const) {
      await cronField.fill(cron);
      await tab.getByLabel('Time zone').fill(zone);
      await press('Save schedule');
      expect(await refusal(), cron).toMatch(why);
      expect(await cronField.inputValue()).toBe(cron);
      expect(await tab.getByLabel('Time zone').inputValue()).toBe(zone);
    }
    expect((await read('schedule')).status).toBe(404);
    await tab.getByLabel('Time zone').fill('Europe/Zurich');
    await press('Save schedule');
    expect(await note()).toBe('Schedule saved.');
    expect((await read('schedule')).body).toMatchObject({ cron: '0 6 * * 1-5', timezone: 'Europe/Zurich' });
  });

  test('a schedule is shown and edited in words, until it is removed', async () => {
    await go(`/content/${report.guid}/settings`);
    const often = tab.getByLabel('How often');
    expect(await often.inputValue()).toBe('weekdays');
    expect(await tab.getByLabel('At', { exact: true }).inputValue()).toBe('06:00');
    await often.selectOption('On days of the week');
    await press('Save schedule');
    expect(await refusal()).toMatch(/no day of the week/);
    await tab.getByLabel('Monday').check();
    await tab.getByLabel('Thursday').check();
    await tab.getByLabel('At', { exact: true }).fill('18:30');
    await press('Save schedule');
    expect(await note()).toBe('Schedule saved.');
    expect((await read('schedule')).body).toMatchObject({ cron: '30 18 * * 1,4', timezone: 'Europe/Zurich' });
    expect(await tab.getByText('At 18:30, only on Monday and Thursday (Europe/Zurich)').isVisible()).toBe(
      true,
    );
    const body = { cron: '0 7 * * *', timezone: 'UTC' };
    await world.publisher.call('PUT', `/v1/content/${report.guid}/schedule`, { body });
    await often.selectOption('Not on a schedule');
    await press('Save schedule');
    expect(await refusal()).toContain('Somebody changed this after the page was opened. Now: At 07:00');
    expect((await read('schedule')).body).toMatchObject(body);
    await press('Save schedule');
    expect(await note()).toBe('Schedule removed.');
    expect((await read('schedule')).status).toBe(404);
  });

  test('variables are set without showing their values, and used at the next rendering', async () => {
    await go(`/content/${report.guid}/settings`);
    for (const name of ['COLOUR=x', 'PATH', 'CONNECT_SERVER']) {
      await tab.getByLabel('Name', { exact: true }).fill(name);
      await tab.getByLabel('Value', { exact: true }).fill('a secret value');
      await press('Set');
      expect(await refusal(), name).not.toBe('');
      expect(await tab.getByLabel('Name', { exact: true }).inputValue()).toBe(name);
      expect(await tab.content()).not.toContain('a secret value');
    }
    expect((await read('environment')).body).toEqual([]);
    await tab.getByLabel('Name', { exact: true }).fill('COLOUR');
    await tab.getByLabel('Value', { exact: true }).fill('ultramarine');
    await press('Set');
    expect(await note()).toMatch(/^COLOUR saved/);
    expect(await tab.content()).not.toContain('ultramarine');

    await go(`/content/${report.guid}`);
    await press('Render now');
    await untilEnded();
    expect(await note()).toBe('Succeeded.');
    expect((await world.server.anonymous('GET', report.path)).bytes.toString()).toContain(
      'ultramarine it is',
    );

    await go(`/content/${report.guid}/settings`);
    const variable = tab.getByRole('row', { name: /COLOUR/ });
    await variable.getByLabel('Confirm').check();
    await variable.getByRole('button', { name: 'Remove' }).click();
    expect(await note()).toBe('COLOUR removed.');
    expect((await read('environment')).body).toEqual([]);
  });
});

describe('Settings and deploys of an application', () => {
  test('keeps its process settings when an input is not a number', async () => {
    const api = await publish(world.publisher, asgi({ '/': 'answer = 1' }), {
      metadata: ASGI,
      fields: { max_processes: 2 },
    });
    await goToSection(api.guid, 'Processes');
    expect(await tab.getByText('Default: 3; the server allows 20').count()).toBe(1);
    for (const wrong of ['three', '1.5', '-1', '1e400', '999']) {
      await tab.getByLabel('Maximum processes').fill(wrong);
      await press('Save processes');
      expect(await refusal(), wrong).not.toBe('');
      expect(await tab.getByLabel('Maximum processes').inputValue()).toBe(wrong);
    }
    const settings = (await world.publisher.call('GET', `/v1/content/${api.guid}`)).body;
    expect(settings.max_processes).toBe(2);
  });

  test('each section has its own button; after it the section is open, and the others are as they were', async () => {
    const { guid } = await publish(world.publisher, asgi({ '/': 'answer = 1' }), { metadata: ASGI });
    await go(`/content/${guid}/settings`);
    const texts = tab.locator('form', { has: tab.getByRole('button', { name: 'Save', exact: true }) });
    expect(await texts.getByRole('textbox').count()).toBe(2);
    await tab.getByLabel('Title').fill('Sales of all regions');
    await press('Save');
    expect(await note()).toBe('Settings saved.');
    const open = () => tab.locator('details[open] > summary').allInnerTexts();
    const usual = ['Tags', 'Environment variables', 'Delete'];
    expect(await open()).toEqual(usual);
    await tab.locator('summary', { hasText: 'Processes' }).press('Enter');
    await tab.getByLabel('Maximum processes').fill('999');
    await press('Save processes');
    expect(await open()).toEqual(usual.toSpliced(2, 0, 'Processes'));
    await tab.getByLabel('Maximum processes').fill('4');
    await press('Save processes');
    expect(await note()).toBe('Settings saved.');
    expect(await open()).toEqual(usual.toSpliced(2, 0, 'Processes'));
    await openSection(tab, 'Bar above the content');
    await press('Save bar');
    expect(await open()).toEqual(usual.toSpliced(2, 0, 'Bar above the content'));
    await tab.reload();
    expect(await open()).toEqual(usual);
    expect((await world.publisher.call('GET', `/v1/content/${guid}`)).body).toMatchObject({
      title: 'Sales of all regions',
      max_processes: 4,
    });
  });

  test('a bundle is deployed as a draft, opened and published; another draft is discarded', async () => {
    const { guid, path } = await publish(world.publisher, { 'index.html': '<p>live</p>' });
    const raw = (text: string) => makeArchive({ 'index.html': `<p>${text}</p>` });
    for (const text of ['first', 'second'])
      await world.publisher.call('POST', `/v1/content/${guid}/bundles`, { raw: raw(text) });
    for (let i = 0; i < 2; i += 1) {
      await go(`/content/${guid}/bundles`);
      await tab.getByRole('button', { name: 'Deploy as draft' }).first().click();
      await tab.waitForURL(/\/tasks\//);
      await untilEnded();
    }
    await tab.reload();
    const made = await tab.getByRole('link', { name: 'Open the draft' }).getAttribute('href');
    expect(await tab.getByRole('link', { name: 'Open it' }).count()).toBe(0);
    await go(`/content/${guid}/bundles`);
    const drafts = tab.getByRole('table', { name: 'Drafts' });
    const first = drafts.locator('tbody tr').first();
    const url = await first.getByRole('link', { name: 'Open' }).getAttribute('href');
    expect([url, await drafts.getByRole('link', { name: 'Open' }).last().getAttribute('href')]).toContain(
      made,
    );
    const release = await first.getByRole('link', { name: /^\d+$/ }).getAttribute('href');
    expect(release).toMatch(new RegExp(`/content/${guid}/bundles/\\d+$`));
    const opened = await world.publisher.call('GET', `//${new URL(url!).pathname.slice(1)}`);
    expect(opened.bytes.toString()).toContain('first');
    const live = async () => (await world.publisher.call('GET', path)).bytes.toString();
    expect(await live()).toContain('live');
    await first.getByRole('button', { name: 'Discard' }).click();
    expect(await note()).toMatch(/^Draft of bundle \d+ discarded\.$/);
    await drafts.getByRole('button', { name: 'Make live' }).click();
    await tab.waitForURL(/\/tasks\//);
    await untilEnded();
    expect(await live()).not.toContain('live');
    await go(`/content/${guid}/bundles`);
    expect(await drafts.count()).toBe(0);
  });

  test('on a phone, the buttons of a row are side by side, and text beside buttons is level with them', async () => {
    const { guid } = await publish(world.publisher, { 'index.html': '<p>live</p>' });
    const raw = makeArchive({ 'index.html': '<p>draft</p>' });
    const { id } = (await world.publisher.call('POST', `/v1/content/${guid}/bundles`, { raw })).body;
    await go(`/content/${guid}/bundles`);
    const row = tab.getByRole('table', { name: 'Bundles' }).locator('tbody tr').first();
    const boxOf = async (role: 'button' | 'link', name: string) =>
      (await row.getByRole(role, { name }).first().boundingBox())!;
    const size = tab.viewportSize()!;
    const middle = ({ y, height }: { y: number; height: number }) => y + height / 2;
    const activate = await boxOf('button', 'Activate');
    expect(Math.abs(middle(await boxOf('link', id)) - middle(activate))).toBeLessThan(3);
    await tab.setViewportSize({ width: 390, height: 844 });
    const box = (await row.getByRole('checkbox', { name: 'Confirm' }).boundingBox())!;
    expect(Math.abs(middle(box) - middle(await boxOf('button', 'Delete')))).toBeLessThan(3);
    await tab.setViewportSize(size);
  });

  test('a colleague approves a pending bundle, which then goes live', async () => {
    const { guid, path } = await publish(world.publisher, { 'index.html': '<p>live</p>' });
    const colleague = await world.server.person('publisher');
    await grant(world.publisher, guid, colleague, 'owner');
    await goToSection(guid, 'Approvals');
    for (const [wrong, why] of [
      ['two', 'not text'],
      ['0', 'not 0'],
      ['11', 'not 11'],
    ] as const) {
      await tab.getByLabel('Approvals required').fill(wrong);
      await press('Require approvals');
      expect(await refusal()).toBe(`Approvals required must be a whole number from 1 to 10, ${why}`);
    }
    await tab.getByLabel('Approvals required').fill('1');
    await press('Require approvals');
    expect(await note()).toBe('Approvals required: 1.');
    await tab.getByLabel('Only this user or group approves').fill('nobody at all');
    await press('Add approver');
    expect(await refusal()).toContain('No user or group is called nobody at all');
    await tab.getByLabel('Only this user or group approves').fill(colleague.username);
    await press('Add approver');
    expect(await note()).toBe(`${colleague.username} approves.`);
    const approvers = tab.getByRole('table', { name: 'Approvers' });
    expect(await approvers.innerText()).toMatch(new RegExp(`${colleague.username}\\s+user\\s+Can approve`));
    const admin = await world.server.administrator();
    const lock = (locked: boolean) =>
      admin.call('POST', `/v1/users/${colleague.guid}/lock`, { body: { locked } });
    await lock(true);
    await go(`/content/${guid}/settings`);
    expect(await approvers.innerText()).toContain('Account locked');
    // The section that shows a problem is open.
    expect(await tab.getByText('Too few people may approve a bundle of yours (0 of 1)').isVisible()).toBe(
      true,
    );
    await lock(false);
    const raw = makeArchive({ 'index.html': '<p>next</p>' });
    await world.publisher.call('POST', `/v1/content/${guid}/bundles`, { raw });
    await go(`/content/${guid}/bundles`);
    await press(/^Activate bundle /);
    expect(await refusal()).toMatch(/needs 1 more approval/);
    await go(`/content/${guid}/bundles`);
    const waiting = tab.getByRole('table', { name: 'Waiting for approval' });
    // The author cannot approve it.
    expect(await waiting.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    const theirs = await world.enter(colleague, { javaScriptEnabled: false });
    await theirs.goto(`${world.root}/content/${guid}/bundles`);
    await theirs.getByRole('button', { name: 'Approve' }).click();
    expect(await theirs.getByRole('status').first().innerText()).toMatch(/^Bundle \d+ approved: 1 of 1\.$/);
    await go(`/content/${guid}/bundles`);
    await waiting.getByRole('button', { name: 'Make live' }).click();
    await untilEnded();
    expect((await world.publisher.call('GET', path)).bytes.toString()).toContain('next');
    await world.publisher.call('POST', `/v1/content/${guid}/bundles`, { raw });
    await go(`/content/${guid}/bundles`);
    await tab.getByRole('button', { name: 'Activate' }).first().click();
    await go(`/content/${guid}/bundles`);
    await tab.getByLabel('Reason').fill('It burns');
    await press(/^Override bundle /);
    expect(await note()).toMatch(/^Bundle \d+ may go live\.$/);
    await waiting.getByRole('button', { name: 'Make live' }).click();
    await untilEnded();
  });

  test('deploys are locked with a reason, which whoever deploys reads, and unlocked', async () => {
    const { guid } = await publish(world.publisher, { 'index.html': '<p>live</p>' });
    const raw = makeArchive({ 'index.html': '<p>next</p>' });
    const { id } = (await world.publisher.call('POST', `/v1/content/${guid}/bundles`, { raw })).body;
    await go(`/content/${guid}/bundles`);
    await tab.getByLabel('Why').fill('The quarter is closed');
    await tab.getByLabel('Until').fill('2001-01-31');
    await press('Lock deploys');
    expect(await refusal()).toBe('Until must be in the future');
    expect(await tab.getByLabel('Why').inputValue()).toBe('The quarter is closed');
    await tab.getByLabel('Until').fill('');
    await press('Lock deploys');
    expect(await note()).toBe('Deploys are locked.');
    await press(`Activate bundle ${id}`);
    expect(await refusal()).toContain('The quarter is closed');
    await go(`/content/${guid}/bundles`);
    const notice = tab.getByRole('note');
    expect(await notice.innerText()).toContain('locked deploys of this content: The quarter is closed');
    await press('Unlock deploys');
    expect(await note()).toBe('Deploys are possible again.');
    await press(`Activate bundle ${id}`);
    await untilEnded();
    expect(await note()).toBe('Succeeded.');
  });

  test('a running deploy is cancelled', async () => {
    const body = { name: 'endless', access_type: 'all' };
    const { guid } = (await world.publisher.call('POST', '/v1/content', { body })).body;
    const raw = makeArchive(asgi({ '/': 'answer = 1' }, 'time.sleep(600)'), ASGI);
    await world.publisher.call('POST', `/v1/content/${guid}/bundles`, { raw });
    await go(`/content/${guid}/bundles`);
    await press(/^Activate bundle /);
    await tab.waitForURL(/\/tasks\//);
    await press('Cancel');
    expect(await note()).toBe('Cancelling.');
    await untilEnded();
    expect(await refusal()).toBe('The task was cancelled.');
    expect(await tab.title()).toMatch(/^Cancelled · /);
    expect((await world.publisher.call('GET', `/v1/content/${guid}`)).body.bundle_id).toBeNull();
  });
});

test('trusts a pipeline for a branch or for drafts, and removes the trust', async () => {
  await goToSection(world.page.guid, 'Trusted publishers');
  await tab.getByLabel('Repository').fill('Acme/Reports');
  await press('Trust');
  expect(await refusal()).toMatch(/name a branch or an environment, or allow drafts only/);
  expect(await tab.getByLabel('Repository').inputValue()).toBe('Acme/Reports');
  await tab.getByLabel('Branch').fill('main');
  await press('Trust');
  expect(await note()).toBe('Pipelines of acme/reports can deploy this content.');
  const row = tab.getByRole('table', { name: 'Trusted publishers' }).getByRole('row').nth(1);
  expect(await row.innerText()).toMatch(
    new RegExp(
      `acme/reports.*githubusercontent.*branch main.*goes live.*${world.publisher.username}, never used`,
      's',
    ),
  );
  await follow(row.getByRole('button', { name: 'Remove' }));
  expect(await note()).toBe('Trusted publisher removed. Its keys no longer work.');
  expect(await tab.getByRole('table', { name: 'Trusted publishers' }).count()).toBe(0);
});

test('a refused form names the field by its label, keeps what was typed, and puts the focus there', async () => {
  const { guid } = await publish(world.publisher, asgi({ '/': 'answer = 1' }), { metadata: ASGI });
  const long = 'x'.repeat(5000);
  const settings = `/content/${guid}/settings`;
  const address = 'A package repository is an https://, http:// or file:// address, or server';
  const refusals = [
    [settings, 'Title', 'x', 'Save', 'Title must be 3 to 1024 characters'],
    [
      `${settings}#section-processes`,
      'Maximum connections per process',
      'many',
      'Save processes',
      'Maximum connections per process must be a whole number from 1 to 2147483647, not text',
    ],
    [
      `${settings}#section-processes`,
      'Minimum processes',
      '5',
      'Save processes',
      'The minimum must not be above the maximum',
    ],
    [
      settings,
      'Name',
      long,
      'Set',
      'Name must be 1 to 255 characters, without "=" or the null character; it has 5000',
    ],
    [`${settings}#section-package-repositories`, 'Address', 'pypi', 'Add', address],
    [
      `/content/${guid}/access`,
      'Custom path',
      long,
      'Save',
      'Custom path must be at most 255 characters; it has 5000',
    ],
    [
      `/content/${guid}/access`,
      'Custom path',
      'Ä',
      'Save',
      'Custom path not permitted: only letters from a to z, digits, - and _ between slashes',
    ],
    [
      `/content/${guid}/access`,
      'New owner',
      'nobody',
      'Hand over',
      'No user is called nobody, or several are.',
    ],
    [
      `/content/${guid}`,
      /^Type .* to confirm$/,
      'it',
      'Delete this content',
      /^Type the name of this content/,
    ],
    ['/keys', 'Name', long, 'Create key', 'Name must be at most 255 characters; it has 5000'],
  ] as const;
  for (const [path, label, value, button, why] of refusals) {
    await go(path);
    const typed = tab.getByLabel(label, { exact: true }).first();
    await typed.fill(value);
    const form = typed.locator('xpath=ancestor::form');
    for (const sure of await form.locator('input[name="sure"]').all()) await sure.check();
    await follow(form.getByRole('button', { name: button, exact: true }));
    const alert = tab.getByRole('alert');
    if (typeof why === 'string') expect(await alert.innerText()).toBe(why);
    else expect(await alert.innerText()).toMatch(why);
    const focused = tab.locator(':focus');
    expect(await focused.inputValue()).toBe(value);
    await expect.poll(() => focused.getAttribute('id')).toBe(await typed.getAttribute('id'));
    const described = (await focused.getAttribute('aria-describedby'))!.split(' ');
    expect(described).toContain(await alert.getAttribute('id'));
    expect(await focused.getAttribute('aria-invalid')).toBe('true');
  }
});

test('spaces name nobody, not even an account without a name', async () => {
  await world.server.person('publisher', { first_name: '', last_name: '' });
  const { guid } = await publish(world.publisher, { 'index.html': 'x' });
  await go(`/content/${guid}/access`);
  await tab.getByLabel('Name, email or group').fill('  ');
  await press('Add');
  expect(await refusal()).toBe('Enter the name of a user or group.');
  await tab.getByLabel('New owner', { exact: true }).fill('  ');
  await tab.getByLabel('Only the new owner and administrators can undo this').check();
  await press('Hand over');
  expect(await refusal()).toBe('Enter the name of a user.');
  expect((await world.publisher.call('GET', `/v1/content/${guid}`)).body.owner_guid).toBe(
    world.publisher.guid,
  );
  expect((await world.publisher.call('GET', `/v1/content/${guid}/permissions`)).body).toEqual([]);
  await goToSection(guid, 'Trusted publishers');
  await tab.getByLabel('Repository').fill('  ');
  await press('Trust');
  expect(await refusal()).toMatch(/^Repository must be owner\/name, .* it has 0$/);
});

test('a form for what another tab has removed says so', async () => {
  const { guid } = await publish(world.publisher, { 'index.html': 'x' });
  const viewer = await world.server.person('viewer');
  await grant(world.publisher, guid, viewer, 'viewer');
  await go(`/content/${guid}/access`);
  const [{ id }] = (await world.publisher.call('GET', `/v1/content/${guid}/permissions`)).body;
  await world.publisher.call('DELETE', `/v1/content/${guid}/permissions/${id}`);
  await press(/^Remove /);
  expect(await refusal()).toBe('It was removed already');
  expect(await tab.locator(':focus').innerText()).toBe('It was removed already');
  await tab.getByText('Shared with nobody yet.').waitFor();
  await go(`/content/${guid}/settings`);
  await world.publisher.call('DELETE', `/v1/content/${guid}`);
  await follow(tab.getByRole('button', { name: 'Save', exact: true }).first());
  await tab.getByText('There is no such content. It may have been deleted.').waitFor();
});

test('access, path and owner that somebody changed meanwhile are not replaced unseen', async () => {
  const { administrator, publisher, server } = world;
  const { guid } = await publish(publisher, { 'index.html': 'x' }, { fields: { access_type: 'acl' } });
  const [first, second] = [await server.person('publisher'), await server.person('publisher')];
  const read = async (what = '') => (await administrator.call('GET', `/v1/content/${guid}${what}`)).body;
  const own = await world.enter(administrator, { javaScriptEnabled: false });
  const click = (name: string, of: string) =>
    follow(own.locator(`form[action$="${of}"]`).getByRole('button', { name }));
  const why = () => own.getByRole('alert').innerText();
  const again = 'Nothing was saved: send it again if you still want to.';

  await own.goto(`${world.root}/content/${guid}/access`);
  await own.getByLabel('Who can view this content').selectOption('All signed-in users');
  await publisher.call('PATCH', `/v1/content/${guid}`, { body: { access_type: 'all' } });
  await click('Save', '/type');
  expect(await why()).toContain(`Now: Anyone, no sign-in required. ${again}`);
  expect((await read()).access_type).toBe('all');
  await click('Save', '/type');
  expect((await read()).access_type).toBe('logged_in');

  await own.getByLabel('Custom path').fill('/mine/');
  await publisher.call('PUT', `/v1/content/${guid}/vanity`, { body: { path: '/theirs/' } });
  await click('Save', '/vanity');
  expect(await why()).toContain(`Now: /theirs/. ${again}`);
  expect((await read('/vanity')).path).toBe('/theirs/');
  await publisher.call('DELETE', `/v1/content/${guid}/vanity`);
  await click('Save', '/vanity');
  expect(await why()).toContain(`Now: no custom path. ${again}`);
  await click('Save', '/vanity');
  expect((await read('/vanity')).path).toBe('/mine/');

  // Who loses access is another person than the page shows.
  await own.getByLabel('New owner', { exact: true }).fill(second.username);
  await own.getByLabel('The owner until now').selectOption('loses access');
  await own.getByLabel('Only the new owner and administrators can undo this').check();
  await publisher.call('PUT', `/v1/content/${guid}/owner`, { body: { owner_guid: first.guid, keep: null } });
  await click('Hand over', '/owner');
  expect(await why()).toContain(`Now: ${first.username}. ${again}`);
  expect((await read()).owner_guid).toBe(first.guid);
  await own.context().close();
});

test('settings that only others may change have no form', async () => {
  const { guid } = await publish(world.publisher, { 'index.html': 'x' });
  const colleague = await world.server.person('publisher');
  await grant(world.publisher, guid, colleague, 'owner');
  await world.publisher.call('PATCH', `/v1/content/${guid}/environment`, {
    body: [{ name: 'A', value: 'b' }],
  });
  const of = async (person: typeof colleague) => {
    const page = await world.enter(person, { javaScriptEnabled: false });
    await page.goto(`${world.root}/content/${guid}/settings`);
    await openSections(page);
    const shown = await page.getByRole('main').getByRole('button').allInnerTexts();
    const buttons = shown.map((text) => text.replaceAll(/\s+/g, ' '));
    const words = await page.getByText('change this.').allInnerTexts();
    await page.context().close();
    return { buttons, words };
  };
  const administrator = await of(world.administrator);
  expect(administrator.buttons).toContain('Require approvals');
  expect(administrator.buttons.filter((name) => /^(Set|Add|Trust|Remove A)$/.test(name))).toEqual([]);
  expect(administrator.words).toContain('The owner and collaborators change this.');
  const own = await of(colleague);
  expect(own.buttons).toEqual(expect.arrayContaining(['Set', 'Add', 'Trust', 'Remove A']));
  expect(own.buttons).not.toContain('Require approvals');
  expect(own.words).toEqual(['No approvals are required. The owner and administrators change this.']);
});

test('a rejected form keeps only its own input, and grants no unselected right', async () => {
  const { guid } = world.page;
  await goToSection(guid, 'Trusted publishers');
  await tab.getByLabel('Repository').fill('acme/reports');
  await press('Trust');
  expect(await refusal()).toContain('drafts only');
  expect(await tab.locator('[name="repository"]').count()).toBe(0);
  const { guid: hidden } = await publish(
    world.publisher,
    { 'index.html': 'x' },
    { fields: { name: 'wanted-by-two', access_type: 'acl' } },
  );
  const viewer = await world.server.person('viewer');
  await viewer.call('POST', `/v1/content/${hidden}/access-requests`, { body: { message: 'please' } });
  await go(`/content/${hidden}/access`);
  const [request] = (await world.publisher.call('GET', `/v1/content/${hidden}/access-requests`)).body;
  const decided = `/v1/content/${hidden}/access-requests/${request.id}`;
  expect((await world.publisher.call('PUT', decided, { body: { decision: 'decline' } })).status).toBeLessThan(
    300,
  );
  await press(/^Grant as collaborator /);
  expect(await refusal()).not.toBe('');
  expect(await tab.getByLabel('Role').inputValue()).toBe('viewer');
});

test('a form sent after the session ended keeps what was typed, but no secrets', async () => {
  const { guid } = await publish(world.publisher, { 'index.html': 'x' });
  const page = await world.enter(world.publisher, { javaScriptEnabled: false });
  const settings = `${world.root}/content/${guid}/settings`;
  await page.goto(settings);
  const description = 'First line\nsecond & <last> "line"';
  await page.getByLabel('Description').fill(description);
  await page.context().clearCookies();
  await follow(page.getByRole('button', { name: 'Save', exact: true }).first());
  expect(await page.title()).toBe('You are signed out');
  expect(await page.getByText('secret value').count()).toBe(0);
  const link = page.getByRole('link', { name: 'Sign in in another tab' });
  const [login] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
  await login.waitForURL('**/__login__*');
  expect(new URL(login.url()).searchParams.get('next')).toBe(`/__dashboard__/content/${guid}/settings`);
  const back = () => follow(page.getByRole('button', { name: 'Back to the form' }));
  // Too early.
  await back();
  expect(await page.title()).toBe('You are signed out');
  await signIn(page.context(), world.server.url, world.publisher.username);
  await back();
  expect(await page.getByRole('alert').innerText()).toContain('You signed in again');
  expect(await page.getByLabel('Description').inputValue()).toBe(description);
  const read = async (what = '') => (await world.publisher.call('GET', `/v1/content/${guid}${what}`)).body;
  expect((await read()).description).toBe('');
  await follow(page.getByRole('button', { name: 'Save', exact: true }).first());
  expect((await read()).description).toBe(description);

  await page.getByLabel('Name', { exact: true }).fill('COLOUR');
  await page.getByLabel('Value', { exact: true }).fill('ultramarine');
  await page.context().clearCookies();
  await follow(page.getByRole('button', { name: 'Set', exact: true }));
  expect(await page.content()).toContain('COLOUR');
  expect(await page.content()).not.toContain('ultramarine');
  expect(await page.getByText('secret value is not kept').count()).toBe(1);
  await signIn(page.context(), world.server.url, world.publisher.username);
  await back();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('COLOUR');
  expect(await page.getByRole('alert').innerText()).toContain('type this again');
  expect(await page.evaluate('document.activeElement.id')).toBe('value');
  expect(await read('/environment')).toEqual([]);

  // A button has nothing to keep.
  await page.goto(`${world.root}/content/${guid}`);
  await page.context().clearCookies();
  await follow(page.getByRole('button', { name: 'Redeploy' }));
  expect(new URL(page.url()).pathname).toBe('/__login__');
  // Another site cannot have this page, with values of its choice, either.
  const elsewhere = await page.request.post(settings, {
    form: { typed: '', description: 'planted' },
    headers: { Origin: 'https://elsewhere.example.com' },
  });
  expect([elsewhere.status(), (await elsewhere.text()).includes('planted')]).toEqual([403, false]);
  await page.context().close();
});

test('a page from before the last sign-in keeps what was typed', async () => {
  const { guid } = world.page;
  const page = await world.enter(world.publisher, { javaScriptEnabled: false });
  const settings = `${world.root}/content/${guid}/settings`;
  const save = page.getByRole('button', { name: 'Save', exact: true }).first();
  await page.goto(settings);
  await page.getByLabel('Description').fill('Typed at length');
  await page.context().clearCookies();
  await signIn(page.context(), world.server.url, world.publisher.username);
  await save.click();
  expect(await page.getByRole('alert').innerText()).toContain('You signed in again');
  const read = async () => (await world.publisher.call('GET', `/v1/content/${guid}`)).body.description;
  expect(await read()).toBe('');
  expect(await page.getByLabel('Description').inputValue()).toBe('Typed at length');
  // The form has the same address as its page.
  const other = await page.context().newPage();
  await other.goto(page.url());
  expect(other.url()).toBe(settings);
  await save.click();
  expect(await page.getByRole('status').first().innerText()).toBe('Settings saved.');
  expect(await read()).toBe('Typed at length');
  // Another site cannot show this page with values filled in.
  const elsewhere = await page.request.post(settings, {
    form: { description: 'x' },
    headers: { Origin: 'https://elsewhere.example.com' },
  });
  expect([elsewhere.status(), (await elsewhere.text()).includes('Description')]).toEqual([403, false]);
  await page.context().close();
});

test('with JavaScript a form is sent only while its sender is signed in and the server answers', async () => {
  const { guid } = await publish(world.publisher, { 'index.html': 'x' });
  const page = await world.enter(world.publisher);
  const settings = `${world.root}/content/${guid}/settings`;
  await page.goto(settings);
  const description = page.getByLabel('Description');
  await description.fill('Typed at length');
  const save = page.getByRole('button', { name: 'Save', exact: true }).first();
  await page.route('**/v1/user', (route) => route.abort());
  await save.click();
  const trouble = page.getByRole('alert');
  await trouble.getByText('The server does not respond. Nothing was sent').waitFor();
  await page.unroute('**/v1/user');
  await page.context().clearCookies();
  await save.click();
  await trouble.getByText('You are signed out. Nothing was sent').waitFor();
  expect(await description.inputValue()).toBe('Typed at length');
  const [login] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'sign in in another tab' }).click(),
  ]);
  await login.waitForURL('**/__login__*');
  await signIn(page.context(), world.server.url, world.publisher.username);
  await save.click();
  await trouble.getByText('You signed in again').waitFor();
  await save.click();
  await page.getByText('Settings saved.').waitFor();
  const read = async () => (await world.publisher.call('GET', `/v1/content/${guid}`)).body.description;
  expect(await read()).toBe('Typed at length');
  await page.context().close();
});

test('with JavaScript a form waits for a slow server, says so, and is sent once', async () => {
  const page = await world.enter(world.publisher);
  await page.clock.install();
  await page.goto(`${world.root}/keys`);
  const isSlow = Promise.withResolvers<void>();
  await page.route('**/__api__/v1/user', async (route) => {
    await isSlow.promise;
    await route.continue().catch(() => undefined);
  });
  await page.getByLabel('Name').fill('from afar');
  const create = page.getByRole('button', { name: 'Create key' });
  await create.click();
  const cursor = `getComputedStyle(document.querySelector('form.row button')).cursor`;
  await expect.poll(() => page.evaluate(cursor)).toBe('progress');
  await page.clock.fastForward(10_000);
  await page.getByText('The server does not respond. Nothing was sent: try again in a moment.').waitFor();
  await create.click();
  isSlow.resolve();
  await page.getByText('Copy it now.').waitFor();
  const keys = (await world.publisher.call('GET', `/v1/users/${world.publisher.guid}/keys`)).body;
  expect(keys.filter(({ name }: { name: string }) => name === 'from afar')).toHaveLength(1);
  await page.context().close();
});

test('a form that cannot be written is shown again with what was typed, or tells how to send it again', async () => {
  const { guid } = await publish(world.publisher, { 'index.html': 'x' });
  await go(`/content/${guid}/settings`);
  await tab.getByLabel('Description').fill('Typed at length');
  const { storage } = world.server.running.services;
  const write = vi.spyOn(storage, 'write');
  write.mockRejectedValueOnce(Object.assign(new Error('no room'), { code: 'ENOSPC' }));
  await press('Save');
  expect(await refusal()).toContain('The disk of the server is full.');
  expect(await tab.getByLabel('Description').inputValue()).toBe('Typed at length');
  const away = errors.internal({ message: 'The database cannot be reached', status: 503 });
  const read = vi.spyOn(world.server.running.services.authenticator, 'identify').mockRejectedValueOnce(away);
  await press('Save');
  expect(await tab.getByRole('main').innerText()).toContain(
    'The database cannot be reached. Reload this page to send the form again.',
  );
  await tab.reload();
  expect(await note()).toBe('Settings saved.');
  expect((await world.publisher.call('GET', `/v1/content/${guid}`)).body.description).toBe('Typed at length');
  write.mockRestore();
  read.mockRestore();
});

test('a form does not revert changes that others made while it was open', async () => {
  const { guid } = await publish(world.publisher, { 'index.html': 'x' });
  await go(`/content/${guid}/settings`);
  await world.publisher.call('PATCH', `/v1/content/${guid}`, { body: { title: 'Meanwhile' } });
  await tab.getByLabel('Description').fill('Only this changes');
  await press('Save');
  expect(await note()).toBe('Settings saved.');
  expect((await world.publisher.call('GET', `/v1/content/${guid}`)).body).toMatchObject({
    title: 'Meanwhile',
    description: 'Only this changes',
  });
  const person = await world.server.person('publisher');
  const admin = await world.enter(world.administrator, { javaScriptEnabled: false });
  await admin.goto(`${world.root}/users/${person.guid}`);
  await world.administrator.call('PUT', `/v1/users/${person.guid}`, { body: { user_role: 'viewer' } });
  await admin.getByLabel('First name').fill('Noor');
  await admin.getByLabel('Email').fill('noor@example.com');
  await admin.getByRole('button', { name: 'Save' }).click();
  expect(await admin.getByRole('status').first().innerText()).toBe('Saved.');
  expect((await world.administrator.call('GET', `/v1/users/${person.guid}`)).body).toMatchObject({
    user_role: 'viewer',
    email: 'noor@example.com',
    first_name: 'Noor',
  });
  await admin.getByRole('button', { name: 'Save' }).click();
  expect(await admin.getByRole('status').first().innerText()).toBe('Saved.');
  await admin.context().close();
});

test('each page of a content item has its own window title', async () => {
  const { guid } = world.page;
  const titles = [];
  for (const page of ['', '/bundles', '/usage', '/access', '/settings']) {
    await go(`/content/${guid}${page}`);
    titles.push(await tab.title());
  }
  const name = 'Sales <report> & more · Pressroom';
  expect(titles).toEqual(
    ['Overview', 'Bundles', 'Usage', 'Access', 'Settings'].map((label) => `${label} · ${name}`),
  );
});

test('the notice after a form is shown even for a very long title', async () => {
  const { guid } = await publish(world.publisher, { 'index.html': 'x' });
  await world.publisher.call('PATCH', `/v1/content/${guid}`, { body: { title: '漢'.repeat(1024) } });
  const next = await world.server.person('publisher');
  await go(`/content/${guid}/access`);
  await tab.getByLabel('New owner', { exact: true }).fill(next.username);
  await tab.getByLabel('Only the new owner and administrators can undo this').check();
  await press('Hand over');
  expect(await note()).toMatch(new RegExp(`^${next.username} owns 漢+…$`));
});

test('a long word in an error does not widen the page', async () => {
  await go(`/content/${world.page.guid}/access`);
  await tab.getByLabel('Name, email or group').fill('a'.repeat(500));
  await press('Add');
  expect(await refusal()).toContain('No user or group is called aaa');
  expect(await tab.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
});

test('multiline descriptions and variables keep their lines', async () => {
  const { guid } = await publish(world.publisher, { 'index.html': 'x' });
  const description = '\nFirst line\n\n<third> & "last"';
  await world.publisher.call('PATCH', `/v1/content/${guid}`, { body: { description } });
  await go(`/content/${guid}/settings`);
  expect(await tab.getByLabel('Description').inputValue()).toBe(description);
  await tab.getByLabel('Title').fill('Only the title changes');
  await press('Save');
  expect(await note()).toBe('Settings saved.');
  const read = async () => (await world.publisher.call('GET', `/v1/content/${guid}`)).body;
  expect(await read()).toMatchObject({ title: 'Only the title changes', description });
  await press('Save');
  expect(await note()).toBe('Settings saved.');
  const key = '-----BEGIN KEY-----\nabc\n-----END KEY-----\n';
  await tab.getByLabel('Name', { exact: true }).fill('PEM');
  await tab.getByLabel('Value', { exact: true }).fill(key);
  await press('Set');
  expect(await note()).toMatch(/^PEM saved/);
  expect(await tab.content()).not.toContain('BEGIN KEY');
  const { storage, secrets } = world.server.running.services;
  const [variable] = await listVariables(storage.db, guid);
  expect(secrets.decrypt(variable!.value, variableContext(guid, 'PEM'))).toBe(key);
});

test('administrators create tags, collaborators assign them, and the list filters by tag', async () => {
  const keeper = await world.enter(world.administrator, { javaScriptEnabled: false });
  const make = async (name: string, below: string) => {
    await keeper.goto(`${world.root}/tags`);
    await keeper.getByLabel('Name').fill(name);
    await keeper.getByLabel('Below', { exact: true }).selectOption({ label: below });
    await keeper.getByRole('button', { name: 'Create tag' }).click();
  };
  await make('Team', 'nothing: a category');
  await make('Sales', 'Team');
  expect(await keeper.getByRole('status').first().innerText()).toBe('Sales created.');
  await make('Sales', 'Team');
  expect(await keeper.getByRole('alert').innerText()).toMatch(/Sales|name|exists/i);
  const settings = `/content/${world.page.guid}/settings`;
  await go(settings);
  await tab.getByLabel('Tag', { exact: true }).selectOption({ label: 'Team / Sales' });
  await press('Add tag');
  expect(await note()).toBe('Tag added.');
  await go('/');
  await follow(tab.getByRole('link', { name: 'Sales', exact: true }));
  expect(await tab.getByRole('link', { name: 'Sales <report> & more' }).count()).toBe(1);
  await go(settings);
  await tab.getByRole('row', { name: 'Team / Sales' }).getByRole('button', { name: 'Remove' }).click();
  expect(await note()).toBe('Tag removed.');
  await make('Region', 'nothing: a category');
  const open = async (path: string) => {
    await keeper.goto(`${world.root}/tags`);
    await follow(keeper.getByRole('link', { name: path, exact: true }));
  };
  const save = () => follow(keeper.getByRole('button', { name: 'Save tag' }));
  await open('Team / Sales');
  expect(await keeper.title()).toBe('Team / Sales · Tags · Pressroom');
  await keeper.getByLabel('Name').fill('');
  await keeper.getByLabel('Name').evaluate((input) => input.removeAttribute('required'));
  await save();
  expect(await keeper.getByRole('alert').innerText()).toMatch(/name/i);
  await keeper.getByLabel('Name').fill('North');
  await keeper.getByLabel('Below', { exact: true }).selectOption({ label: 'Region' });
  await save();
  expect(await keeper.getByRole('status').first().innerText()).toBe('North saved.');
  await open('Region');
  // Below itself it would be nowhere.
  const places = await keeper.getByLabel('Below', { exact: true }).locator('option').allInnerTexts();
  expect(places).toEqual(['nothing: a category', 'Team']);
  await open('Region / North');
  await keeper.getByLabel('Name').fill('Sales');
  await keeper.getByLabel('Below', { exact: true }).selectOption({ label: 'Team' });
  await save();
  await keeper.goto(`${world.root}/tags`);
  const category = keeper.getByRole('row', { name: 'Team category' });
  await category.getByRole('button', { name: 'Delete' }).click();
  // The browser asks for the box.
  expect(await keeper.getByRole('row', { name: 'Team / Sales' }).count()).toBe(1);
  await category.getByLabel('with the tag below it').check();
  await follow(category.getByRole('button', { name: 'Delete' }));
  expect(await keeper.getByRole('row', { name: 'Team / Sales' }).count()).toBe(0);
  await go('/tags');
  await tab.getByRole('heading', { name: 'This page cannot be shown' }).waitFor();
  await follow(tab.getByRole('link', { name: 'Go to the dashboard' }));
  await tab.getByRole('heading', { name: 'Content' }).waitFor();
  await keeper.context().close();
});

test('the settings link to the deletion of the content', async () => {
  await go(`/content/${world.page.guid}/settings`);
  await tab.getByRole('link', { name: 'Delete this content…' }).click();
  const button = tab.getByRole('button', { name: 'Delete this content' });
  await button.waitFor();
  expect(await button.count()).toBe(1);
});

test('members of a group are removed; an unknown user is rejected and stays typed', async () => {
  const reader = await world.server.person('viewer');
  await go('/groups');
  await tab.getByLabel('Name', { exact: true }).fill('no!');
  await press('Create group');
  expect(await refusal()).toMatch(/3 to 64/);
  await tab.getByLabel('Name', { exact: true }).fill('analysts');
  await press('Create group');
  const names = tab.getByLabel('Names or emails');
  await press('Add');
  expect(await refusal()).toBe('Name 1 to 100 people.');
  await names.fill(`${reader.username}, nobody-of-that-name`);
  await press('Add');
  expect(await refusal()).toBe('No user is called nobody-of-that-name, or several are.');
  expect(await names.inputValue()).toBe(`${reader.username}, nobody-of-that-name`);
  expect(await tab.getByText('This group has no members yet.').count()).toBe(1);
  await names.fill(reader.username);
  await press('Add');
  expect(await note()).toBe(`${reader.username} added.`);
  await names.fill(reader.username);
  await press('Add');
  expect(await refusal()).toMatch(/already/);
  const member = tab.getByRole('row', { name: new RegExp(reader.username) });
  await follow(member.getByRole('button', { name: 'Remove' }));
  expect(await note()).toBe('Member removed.');
  expect(await tab.getByText('This group has no members yet.').count()).toBe(1);
  const others = [await world.server.person('viewer'), await world.server.person('publisher')];
  await names.fill([...others.map(({ username }) => username), reader.username].join('\n'));
  await press('Add');
  expect(await note()).toBe(`${[...others, reader].map(({ username }) => username).join(', ')} added.`);
  await names.fill(`${reader.username};${others[0]!.username}`);
  await press('Add');
  expect(await note()).toBe(`Members already: ${reader.username}, ${others[0]!.username}.`);
});

test('lists are paged and keep their search', async () => {
  const { db } = world.server.running.services.storage;
  const like = (await world.publisher.call('POST', '/v1/content', { body: { name: 'many-000' } })).body.guid;
  const row = await db.selectFrom('content').selectAll().where('guid', '=', like).executeTakeFirstOrThrow();
  const { ids } = world.server.running.services;
  for (let i = 1; i <= 150; i++) {
    const name = `many-${String(i).padStart(3, '0')}`;
    await db
      .insertInto('content')
      .values({ ...row, guid: ids.uuid(), name })
      .execute();
  }
  await go('/?q=many-');
  const names = () =>
    tab
      .getByRole('main')
      .getByRole('link', { name: /^many-/ })
      .allInnerTexts();
  const first = await names();
  await follow(tab.getByRole('link', { name: 'Next' }));
  const second = await names();
  expect([first.length, second.length, new Set([...first, ...second]).size]).toEqual([100, 51, 151]);
  expect(await tab.getByLabel('Search').inputValue()).toBe('many-');
  expect(await tab.getByRole('link', { name: 'Next' }).count()).toBe(0);
  await follow(tab.getByRole('link', { name: 'Previous' }));
  expect(await names()).toEqual(first);
});

test('pages accept invalid values in their address', async () => {
  const admin = await world.enter(world.administrator, { javaScriptEnabled: false });
  const odd = ['x', '-1', '1e400', '99999999999999999999', '1.5', '%00', '%ff'];
  for (const path of ['/', '/users', '/groups', `/content/${world.page.guid}/bundles`])
    for (const value of odd)
      expect((await admin.request.get(`${world.root}${path}?page=${value}`)).status()).toBe(200);
  for (const long of ['"', 'x'].map((one) => one.repeat(700))) {
    const search = new URLSearchParams({ q: long, owner: long, type: 'application', mine: 'on' });
    expect((await admin.request.get(`${world.root}/?${search.toString()}`)).status(), long[0]).toBe(200);
  }
  for (const name of ['before', 'text', 'who', 'from', 'to'])
    for (const value of odd)
      expect(
        (await admin.request.get(`${world.root}/audit?${name}=${value}`)).status(),
        `${name}=${value}`,
      ).toBe(200);
  await admin.context().close();
});

test('adds and removes package repositories of content without showing the password', async () => {
  const { guid } = (await world.publisher.call('POST', '/v1/content', { body: { name: 'packages' } })).body;
  const kept = async () => (await world.publisher.call('GET', `/v1/content/${guid}/package-sources`)).body;
  await goToSection(guid, 'Package repositories');
  const form = tab.locator('form', { has: tab.getByRole('button', { name: 'Add', exact: true }) });
  const add = (address: string) =>
    form.filter({ hasText: 'Language' }).getByLabel('Address', { exact: true }).fill(address);
  await add('packages.example.com');
  await form.filter({ hasText: 'Language' }).getByRole('button', { name: 'Add' }).click();
  expect(await refusal()).toContain('A package repository is an https://');
  await add('https://packages.example.com/simple');
  await form.filter({ hasText: 'Language' }).getByLabel('Username').fill('ada');
  await form.filter({ hasText: 'Language' }).getByLabel('Password').fill('hunter2');
  await form.filter({ hasText: 'Language' }).getByRole('button', { name: 'Add' }).click();
  expect(await note()).toContain('Saved.');
  expect(await kept()).toMatchObject([{ language: 'python', username: 'ada', has_password: true }]);
  const row = tab.getByRole('row', { name: 'https://packages.example.com/simple' });
  expect(await row.innerText()).toMatch(/Python.*ada.*set/s);
  // The password cannot be read again, to be set again.
  expect(await row.getByRole('checkbox').count()).toBe(1);
  expect(await tab.content()).not.toContain('hunter2');
  const others = ['https://b.example.com/simple', 'https://c.example.com/simple'];
  const sources = ['https://packages.example.com/simple', ...others].map((address) => ({
    language: 'python',
    address,
  }));
  await world.publisher.call('PUT', `/v1/content/${guid}/package-sources`, { body: { sources } });
  await goToSection(guid, 'Package repositories');
  // Somebody removed the first one meanwhile.
  await world.publisher.call('PUT', `/v1/content/${guid}/package-sources`, {
    body: { sources: sources.slice(1) },
  });
  const second = tab.getByRole('row', { name: others[0]! });
  await follow(second.getByRole('button', { name: 'Remove' }));
  expect(await kept()).toMatchObject([{ address: others[1] }]);
});
