// Covers content below the bar that leads back, and content transferred to another owner, in a real browser.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publish } from '@pressroom/testkit';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeWorld, openSection, type World } from './world.ts';

const CONTENT = `<!doctype html><title>Figures</title><h1>Figures</h1>
<a href="more.html">More</a> <a id="file" href="data.csv" download>Data</a>`;

let world: World;
let tab: Page;
beforeAll(async () => {
  world = await makeWorld();
  tab = await world.enter(world.publisher);
});
afterAll(() => world[Symbol.asyncDispose]());

const press = (name: string | RegExp) =>
  tab.getByRole('main').getByRole('button', { name, exact: true }).click();

describe('Bar above content', () => {
  let guid: string;
  beforeAll(async () => {
    const files = {
      'index.html': CONTENT,
      'more.html': '<title>More</title><h1>More figures</h1>',
      'data.csv': 'a,b',
    };
    const fields = { name: 'figures', title: 'Figures', access_type: 'logged_in' };
    ({ guid } = await publish(world.publisher, files, { fields }));
  });

  test('links back; content keeps its links, downloads and origin below it', async () => {
    await tab.goto(`${world.root}/content/${guid}`);
    await tab.getByRole('link', { name: /\/content\/.*\// }).click();
    const inside = tab.frameLocator('iframe');
    await inside.getByRole('heading', { name: 'Figures' }).waitFor();
    expect(new URL(tab.url()).origin).not.toBe(new URL(world.root).origin);
    expect(await tab.getByRole('banner').innerText()).toContain(`by ${world.publisher.username}`);
    await tab.evaluate(axe.source);
    const { violations } = (await tab.evaluate('axe.run("header")')) as axe.AxeResults;
    expect(violations.map(({ id }) => id)).toEqual([]);
    const download = tab.waitForEvent('download');
    await inside.locator('#file').click();
    expect((await download).suggestedFilename()).toBe('data.csv');
    await inside.getByRole('link', { name: 'More' }).click();
    await inside.getByRole('heading', { name: 'More figures' }).waitFor();
    await tab.getByRole('link', { name: 'Dashboard' }).click();
    await tab.waitForURL(`${world.root}/content/${guid}`);
    await tab.getByRole('heading', { level: 1, name: 'Figures' }).waitFor();
  });

  test('can be hidden by the collaborator and for the content', async () => {
    const open = async () => {
      await tab.goto(`${world.root}/content/${guid}`);
      await tab.getByRole('link', { name: /\/content\/.*\// }).click();
    };
    await open();
    await tab.getByRole('link', { name: 'Hide this bar' }).click();
    await tab.getByRole('heading', { name: 'Figures' }).waitFor();
    const plain = tab.url();
    expect(new URL(plain).pathname).toBe(`/content/${guid}/`);
    await open();
    await tab.waitForURL(plain);
    await tab.goto(`${plain}__view__?bar=on`);
    await tab.frameLocator('iframe').getByRole('heading', { name: 'Figures' }).waitFor();
    await tab.goto(`${world.root}/content/${guid}/settings`);
    await openSection(tab, 'Bar above the content');
    await tab.getByLabel(/Show collaborators a bar/).uncheck();
    await press('Save bar');
    expect(await tab.getByRole('status').innerText()).toBe('Nobody sees the bar.');
    await open();
    await tab.waitForURL(plain);
  });

  test('is hidden from viewers', async () => {
    await tab.goto(`${world.root}/content/${guid}/settings`);
    await openSection(tab, 'Bar above the content');
    await tab.getByLabel(/Show collaborators a bar/).check();
    await press('Save bar');
    expect(await tab.getByRole('status').innerText()).toBe('Collaborators see the bar.');
    const viewer = await world.server.person('viewer');
    const other = await world.enter(viewer);
    await other.goto(`${world.server.url}/content/${guid}/__view__`);
    await other.getByRole('heading', { name: 'Figures' }).waitFor();
    expect(new URL(other.url()).pathname).toBe(`/content/${guid}/`);
    expect(await other.locator('iframe').count()).toBe(0);
    await other.context().close();
  });
});

test('an uploaded picture is shown in the list until it is removed', async () => {
  const { guid } = world.page;
  const settings = `${world.root}/content/${guid}/settings`;
  await tab.goto(settings);
  await openSection(tab, 'Picture');
  const input = tab.getByLabel('Picture for the list');
  await input.setInputFiles({ name: 'x.png', mimeType: 'image/png', buffer: Buffer.from('<svg/>') });
  await tab.getByRole('alert').filter({ hasText: 'PNG, JPEG' }).waitFor();
  const picture = await tab.screenshot({ clip: { x: 0, y: 0, width: 320, height: 200 } });
  await tab.getByLabel('Title').fill('Typed, not saved');
  await input.setInputFiles({ name: 'x.png', mimeType: 'image/png', buffer: picture });
  await tab.getByAltText('Picture of this content').waitFor();
  expect(await tab.getByLabel('Title').inputValue()).toBe('Typed, not saved');
  await tab.goto(`${world.root}/`);
  const shown = tab.locator(`img[src$="/content/${guid}/thumbnail"]`);
  await shown.waitFor();
  await tab.waitForFunction('document.querySelector(".item img").complete');
  expect(await tab.evaluate('document.querySelector(".item img").naturalWidth')).toBe(320);
  await tab.goto(settings);
  await openSection(tab, 'Picture');
  await press('Remove picture');
  expect(await tab.getByRole('status').innerText()).toBe('Picture removed.');
  expect((await world.publisher.call('GET', `/v1/content/${guid}/thumbnail`)).status).toBe(404);
});

test('a picture that did not arrive says so in words, and the same file can be chosen again', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'pressroom-picture-'));
  const file = join(dir, 'picture.png');
  await tab.goto(`${world.root}/content/${world.page.guid}/settings`);
  await openSection(tab, 'Picture');
  await writeFile(file, await tab.screenshot({ clip: { x: 0, y: 0, width: 32, height: 20 } }));
  const address = '**/thumbnail';
  const choose = () => tab.getByLabel('Picture for the list').setInputFiles(file);
  await tab.route(address, (route) => route.abort());
  await choose();
  await tab.getByText('The server cannot be reached.').waitFor();
  await tab.unroute(address);
  await tab.route(address, (route) => route.fulfill({ status: 502, body: '<h1>Bad Gateway</h1>' }));
  await choose();
  await tab.getByText('The server answered 502.').waitFor();
  await tab.unroute(address);
  await choose();
  await tab.getByAltText('Picture of this content').waitFor();
  expect(await tab.getByText('The server answered 502.').isVisible()).toBe(false);
  await press('Remove picture');
  await rm(dir, { recursive: true });
});

test('an administrator who may not view content reaches all its pages, but not its list of bundles', async () => {
  const fields = { access_type: 'acl', title: 'Of others' };
  const { guid } = await publish(world.publisher, { 'index.html': CONTENT }, { fields });
  const administrator = await world.enter(world.administrator);
  await administrator.goto(`${world.root}/content/${guid}`);
  await administrator.getByRole('link', { name: 'Bundles' }).click();
  await administrator.getByText('The bundles are listed for people who may view this content.').waitFor();
  await administrator.getByRole('link', { name: 'Settings' }).click();
  await administrator.getByLabel('Title').waitFor();
  expect(await administrator.getByLabel('Title').inputValue()).toBe('Of others');
  await administrator.context().close();
});

test('a user without access requests it, and the owner grants it', async () => {
  const fields = { name: 'secret', title: 'Secret plans', access_type: 'acl' };
  const { guid } = await publish(world.publisher, { 'index.html': CONTENT }, { fields });
  const viewer = await world.server.person('viewer');
  const other = await world.enter(viewer);
  await other.goto(`${world.server.url}/content/${guid}/`);
  await other.getByRole('link', { name: 'Ask for access' }).click();
  await other.waitForURL(`${world.root}/content/${guid}/request`);
  expect(await other.content()).not.toContain('Secret plans');
  await other.getByLabel('Message').fill('For <my> report');
  await other.getByRole('main').getByRole('button', { name: 'Ask for access' }).click();
  expect(await other.getByRole('status').innerText()).toContain('Those who can give it were asked.');
  await tab.goto(`${world.root}/content/${guid}/access`);
  await tab.getByRole('row', { name: viewer.username }).getByText('For <my> report').waitFor();
  await press(/^Grant as viewer /);
  expect(await tab.getByRole('status').innerText()).toBe('Access granted.');
  await other.goto(`${world.server.url}/content/${guid}/`);
  await other.getByRole('heading', { name: 'Figures' }).waitFor();
  await other.context().close();
});

test('requests for all content and for the publisher role are decided on one page', async () => {
  const fields = { name: 'plans', title: 'Plans', access_type: 'acl' };
  const { guid } = await publish(world.publisher, { 'index.html': CONTENT }, { fields });
  const viewer = await world.server.person('viewer');
  await viewer.call('POST', `/v1/content/${guid}/access-requests`, { body: {} });
  const other = await world.enter(viewer);
  await other.goto(`${world.root}/account`);
  await other.getByLabel('Message').fill('A page of <sales>');
  await other.getByRole('button', { name: 'Ask to become a publisher' }).click();
  expect(await other.getByRole('status').innerText()).toBe('The administrators were asked.');
  await other.getByRole('button', { name: 'Ask to become a publisher' }).click();
  expect(await other.getByRole('alert').innerText()).toMatch(
    /^You can ask again from \d{4}-\d\d-\d\d \d\d:\d\d UTC$/,
  );
  expect(await other.getByRole('link', { name: 'Requests' }).count()).toBe(0);

  await tab.goto(`${world.root}/`);
  await tab.getByRole('link', { name: 'Requests' }).click();
  const access = tab.getByRole('row', { name: viewer.username });
  expect(await access.getByRole('link', { name: 'Plans' }).getAttribute('href')).toContain(guid);
  expect(await tab.getByText('Publisher role').count()).toBe(0);
  await access.getByRole('button', { name: 'Grant as viewer' }).click();
  expect(await tab.getByRole('status').innerText()).toBe('Access granted.');
  await tab.getByText('Nobody asks for access to your content.').waitFor();

  const admin = await world.enter(world.administrator);
  await admin.goto(`${world.root}/requests`);
  const role = admin.getByRole('row', { name: viewer.username });
  await role.getByText('A page of <sales>').waitFor();
  await role.getByRole('button', { name: 'Make publisher' }).click();
  expect(await admin.getByRole('status').innerText()).toBe('They can publish now.');
  expect((await viewer.call('GET', '/v1/user')).body.user_role).toBe('publisher');
  await other.goto(`${world.root}/account`);
  expect(await other.getByRole('button', { name: 'Ask to become a publisher' }).count()).toBe(0);
  await other.context().close();
  await admin.context().close();
});

test('content is shared until a day, then transferred with a notice of the remaining access', async () => {
  const viewer = await world.server.person('viewer');
  const next = await world.server.person('publisher', { first_name: 'Nora', last_name: 'Next' });
  await tab.goto(`${world.root}/content/${world.page.guid}/access`);
  await tab.getByLabel('Name, email or group').fill(viewer.username);
  await tab.getByLabel('Until', { exact: true }).fill('2096-12-31');
  await press('Add');
  expect(await tab.getByRole('status').innerText()).toBe(
    `Access granted to ${viewer.username} until 2096-12-31.`,
  );
  expect(await tab.getByRole('row', { name: viewer.username }).innerText()).toContain('2096');
  const sure = tab.getByLabel('Only the new owner and administrators can undo this');
  await tab.getByLabel('New owner', { exact: true }).fill(viewer.username);
  await tab.getByRole('button', { name: 'Hand over' }).click();
  // The browser asks for the box.
  expect(await tab.locator(':focus').getAttribute('name')).toBe('sure');
  await sure.check();
  await press('Hand over');
  expect(await tab.getByRole('alert').innerText()).toContain('is a viewer and cannot own content');
  await tab.getByLabel('New owner', { exact: true }).fill('Nora Next');
  await tab.getByLabel('The owner until now').selectOption('can still view it');
  await sure.check();
  await press('Hand over');
  expect(await tab.getByRole('status').innerText()).toBe(
    `${next.username} owns Sales <report> & more now. You can still view it.`,
  );
  const { body } = await next.call('GET', `/v1/content/${world.page.guid}`);
  expect(body.owner_guid).toBe(next.guid);
});
