// Covers accounts in the dashboard without JavaScript: first password by link, sessions, keys with a role and an expiry.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { follow, makeWorld, type World } from './world.ts';

const NO_SCRIPTS = { javaScriptEnabled: false } as const;
let world: World;
let tab: Page;
beforeAll(async () => {
  world = await makeWorld();
  tab = await world.enter(world.administrator, NO_SCRIPTS);
});
afterAll(() => world[Symbol.asyncDispose]());

const go = (path: string) => tab.goto(world.root + path);
const note = () => tab.getByRole('status').first().innerText();
const press = (name: string | RegExp) =>
  follow(tab.getByRole('main').getByRole('button', { name, exact: true }));

test('M3: a user added without a password sets one through a link shown once', async () => {
  await go('/users');
  await tab.getByLabel('Username').fill('nora');
  await tab.getByLabel('Email').fill('nora@example.com');
  await press('Add');
  const link = await tab.getByLabel('Password link').inputValue();
  await follow(tab.getByRole('link', { name: 'Back to nora' }));
  expect(await tab.content()).not.toContain(new URL(link).searchParams.get('token'));
  const hers = await (await world.browser.newContext(NO_SCRIPTS)).newPage();
  await hers.goto(link);
  await hers.getByLabel('New password').fill('password1');
  await hers.getByRole('button', { name: 'Set password' }).click();
  expect(await hers.getByRole('alert').innerText()).toContain('tried first');
  await hers.getByLabel('New password').fill('battery staple');
  await hers.getByRole('button', { name: 'Set password' }).click();
  await hers.getByLabel('Username').fill('nora');
  await hers.getByLabel('Password').fill('battery staple');
  await follow(hers.getByRole('button', { name: 'Sign in', exact: true }));
  await hers.goto(`${world.root}/account`);
  expect(await hers.locator('dd').first().innerText()).toBe('nora');
  await hers.goto(link);
  expect(await hers.getByRole('alert').innerText()).toContain('has expired');
  await hers.context().close();
});

test('an administrator creates a password link and ends a session of another user', async () => {
  const theirs = await world.enter(world.publisher, NO_SCRIPTS);
  await go(`/users/${world.publisher.guid}`);
  await press(/^End /);
  expect(await note()).toBe('Session ended.');
  await theirs.goto(`${world.root}/keys`);
  expect(theirs.url()).toContain('/__login__');
  await go(`/users/${world.publisher.guid}`);
  await press('Create password link');
  expect(await tab.getByLabel('Password link').inputValue()).toContain('?token=');
  await theirs.context().close();
});

test('a user lists and ends sessions, and changes the password with the current one', async () => {
  const [here, there] = [
    await world.enter(world.publisher, NO_SCRIPTS),
    await world.enter(world.publisher, NO_SCRIPTS),
  ];
  await here.goto(`${world.root}/account`);
  const rows = here.getByRole('region', { name: 'Sessions' }).getByRole('row');
  expect(await rows.count()).toBe(3);
  await here.getByRole('button', { name: 'End' }).click();
  expect(await here.getByRole('status').first().innerText()).toBe('Session ended.');
  await there.goto(`${world.root}/account`);
  expect(there.url()).toContain('/__login__');
  const change = async (current: string, next: string) => {
    await here.getByLabel('Current password').fill(current);
    await here.getByLabel('New password').fill(next);
    await here.getByRole('button', { name: 'Change password' }).click();
  };
  await change('wrong', 'battery staple');
  expect(await here.getByRole('alert').innerText()).toBe('Incorrect current password');
  await change('correct horse', 'qwertyuiop');
  expect(await here.getByRole('alert').innerText()).toContain('tried first');
  await change('correct horse', 'battery staple');
  expect(await here.getByRole('status').first().innerText()).toContain('Password changed');
  await here.context().close();
  await there.context().close();
});

test('a key is created with a lower role and an expiry, and listed with both', async () => {
  await go('/keys');
  await tab.getByLabel('Name').fill('reader');
  await tab.getByLabel('Role').selectOption('Viewer');
  await tab.getByLabel('Expires').selectOption('in 30 days');
  await press('Create key');
  const key = await tab.getByLabel('Key “reader”').inputValue();
  const call = (path: string) =>
    fetch(`${world.server.url}/__api__${path}`, { headers: { Authorization: `Key ${key}` } });
  expect([(await call('/v1/user')).status, (await call('/v1/audit_logs')).status]).toEqual([200, 403]);
  await go('/keys');
  const row = tab.getByRole('row').filter({ hasText: 'reader' });
  expect(await row.innerText()).toContain('viewer');
  expect(await row.locator('time').count()).toBe(3);
  await row.getByRole('button', { name: 'Revoke' }).click();
  // The browser asks for the box.
  expect((await call('/v1/user')).status).toBe(200);
  await row.getByLabel('Confirm').check();
  await row.getByRole('button', { name: 'Revoke' }).click();
  expect(await note()).toBe('Key revoked.');
  expect((await call('/v1/user')).status).toBe(401);
});

test('with JavaScript, neither a reload nor Back sends a form again; what it answers has the focus', async () => {
  const person = await world.server.person('publisher');
  const page = await world.enter(person);
  const read = async () => (await person.call('GET', `/v1/users/${person.guid}/keys`)).body.length;
  const count = await read();
  const create = async (name: string) => {
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Create key' }).click();
  };
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.isNavigationRequest()) sent.push(request.method());
  });
  await page.goto(`${world.root}/keys`);
  await create('once');
  await page.getByLabel('Key “once”').waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'New key' }).waitFor();
  expect(await read()).toBe(count + 1);
  // Refused for its name.
  await create('x'.repeat(1000));
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Name').and(page.locator(':focus')).waitFor();
  await page.goto(`${world.root}/account`);
  await page.goBack();
  await page.getByRole('heading', { name: 'New key' }).waitFor();
  expect(sent).toEqual(['GET', 'POST', 'GET', 'POST', 'GET', 'GET']);
  const row = page.getByRole('row').filter({ hasText: 'once' });
  await row.getByLabel('Confirm').check();
  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Key revoked.').and(page.locator(':focus')).waitFor();
  await page.context().close();
});
