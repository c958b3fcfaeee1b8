// Covers the Git repository of a content item in its settings, without JavaScript.
import { publish, startGitServer } from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { GIT_SETTINGS } from '../../acceptance/git-steps.ts';
import { follow, makeWorld, openSection } from './world.ts';

test('a repository is connected; what cannot be had again of it asks first', async () => {
  await using git = await startGitServer();
  await using world = await makeWorld(GIT_SETTINGS);
  const { guid } = await publish(world.publisher, { 'index.html': 'x' });
  const tab = await world.enter(world.publisher, { javaScriptEnabled: false });
  const note = () => tab.getByRole('status').first().innerText();
  const press = (name: string) => follow(tab.getByRole('button', { name, exact: true }));
  await tab.goto(`${world.root}/content/${guid}/settings`);
  await openSection(tab, 'Git repository');
  const form = tab.locator('form', { has: tab.getByRole('button', { name: 'Connect' }) });
  await form.getByLabel('Repository').fill(git.url);
  await press('Connect');
  const secret = () => tab.getByLabel('Webhook secret').inputValue();
  const first = await secret();
  expect(first).toMatch(/^\S{40,}$/);
  // Nor is it in the note, which is a cookie.
  expect(JSON.stringify(await tab.context().cookies())).not.toContain('note');
  await follow(tab.getByRole('link', { name: 'Back to the settings' }));
  const settings = tab.url();
  for (const name of ['New webhook secret', 'Disconnect'])
    await tab.getByRole('button', { name, exact: true }).click();
  // The browser asks for the boxes.
  expect(tab.url()).toBe(settings);
  await tab.getByLabel('The secret until now no longer works').check();
  await press('New webhook secret');
  expect(await secret()).toMatch(/^\S{40,}$/);
  expect(await secret()).not.toBe(first);
  await follow(tab.getByRole('link', { name: 'Back to the settings' }));
  await tab.getByLabel('Forget the token and the keys').check();
  await press('Disconnect');
  expect(await note()).toBe('Disconnected. The bundles stay.');
  expect((await world.publisher.call('GET', `/v1/content/${guid}/repository`)).status).toBe(404);
});
