// In a real editor: what stands around publishing. The page opens, the account is listed, git offers it, too.
import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { startWork, type Work } from './work.ts';

let work: Work;
beforeAll(async () => {
  work = await startWork({
    extensions: inject('extensions'),
    settings: { 'pressroom.openAfterPublish': true, 'git.enabled': true },
  });
  execFileSync('git', ['init', '-q', work.folder]);
});
afterAll(() => work[Symbol.asyncDispose]());
afterEach(async ({ task }) => {
  await work.editor.screenshot(`around-${task.name.replaceAll(/\W+/g, '-')}`);
  await work.clearToasts();
});

test('the page opens when it is live', async () => {
  const opened = work.editor.page.context().waitForEvent('page', { timeout: 90_000 });
  await work.firstTime();
  await work.toast('static-page is live');
  const page = await opened;
  const [{ guid }] = (await work.person.call('GET', '/v1/content')).body;
  await page.waitForURL(new RegExp(guid));
  expect(decodeURIComponent(page.url())).toContain(`/content/${guid}/`);
  await page.close();
});

test('the account is listed with its server, and signing out forgets the key', async () => {
  const labels = () =>
    work.editor.inHost(async (vs) =>
      (await vs.authentication.getAccounts('pressroom')).map(({ label }) => label),
    );
  expect(await labels()).toEqual([`publisher1 (${new URL(work.server.url).host})`]);
  await work.command('pressroom.signOut');
  await work.editor.page
    .getByText('Select the server to sign out of')
    .or(work.editor.page.getByPlaceholder('Select the server to sign out of'))
    .first()
    .waitFor();
  await work.answer(null);
  await expect.poll(labels).toEqual([]);
  await work.command('pressroom.publish');
  await work.editor.page.getByText(`This folder was published to ${work.server.url}`).waitFor();
  await work.answer(work.person.key);
  await work.toast('static-page is live');
});

test('one click from the source control view', async () => {
  const { page } = work.editor;
  const [{ guid }] = (await work.person.call('GET', '/v1/content')).body;
  await work.command('workbench.view.scm');
  await page.locator('.scm-view, .pane-header').first().waitFor();
  await page
    .getByRole('button', { name: /^Publish Content( \(|$)/ })
    .first()
    .click();
  await work.toast('static-page is live');
  expect((await work.person.call('GET', `/v1/content/${guid}/bundles`)).body).toHaveLength(3);
});
