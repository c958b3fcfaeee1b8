// Covers what surrounds publishing in a real editor: the content page opens, the account is listed, git offers to
// publish; links work, external ones only after confirmation, those of the walkthrough at once.
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

const bundles = async () => {
  const [content] = (await work.person.call('GET', '/v1/content')).body;
  return (await work.person.call('GET', `/v1/content/${content.guid}/bundles`)).body as unknown[];
};

/** Follows a link of the editor's scheme as a browser does: through the page that passes it to the editor. */
async function follow(path: string) {
  const address = await work.editor.inHost(async (vs, rest) => {
    const link = vs.Uri.parse(`${vs.env.uriScheme}://pressroom.pressroom/${rest}`);
    return (await vs.env.asExternalUri(link)).toString(true);
  }, path);
  const page = await work.editor.page.context().newPage();
  await page.goto(address);
  await page.getByText('You can close this page now.').waitFor();
  await page.close();
}

const dialog = () => work.editor.page.locator('.monaco-dialog-box');
test('a link activates the extension and asks; Cancel publishes nothing', async () => {
  expect(await work.editor.inHost((vs) => vs.extensions.getExtension('pressroom.pressroom')!.isActive)).toBe(
    false,
  );
  await follow(`publish?folder=${encodeURIComponent(work.folder)}`);
  await dialog().getByText('A link requests to publish static-page.').waitFor();
  await dialog().getByText(work.folder).waitFor();
  await work.editor.screenshot('links-asked');
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await dialog().waitFor({ state: 'detached' });
  expect((await work.person.call('GET', '/v1/content')).body).toEqual([]);
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
  await work.editor.inHost(async (vs) => {
    await vs.workspace.getConfiguration('pressroom').update('openAfterPublish', false, true);
  });
});

test('the account is listed with its server, and signing out deletes the key', async () => {
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
  await work.respond(null);
  await expect.poll(labels).toEqual([]);
  await work.command('pressroom.publish');
  await work.editor.page.getByText(`This folder was published to ${work.server.url}`).waitFor();
  await work.respond(work.person.key);
  await work.toast('static-page is live');
});

test('publishes with one click from the source control view', async () => {
  const { page } = work.editor;
  await work.command('workbench.view.scm');
  await page.locator('.scm-view, .pane-header').first().waitFor();
  await page
    .getByRole('button', { name: /^Publish Content( \(|$)/ })
    .first()
    .click();
  await work.toast('static-page is live');
  expect(await bundles()).toHaveLength(3);
});

test('a link publishes once the user confirms', async () => {
  const before = await bundles();
  await follow('publish');
  await dialog().getByRole('button', { name: 'Publish' }).click();
  await work.toast('static-page is live');
  expect(await bundles()).toHaveLength(before.length + 1);
});

test('rejects a link to a folder outside of the workspace by name', async () => {
  const before = await bundles();
  await follow('publish?folder=/etc');
  await work.toast('/etc is not in this workspace.');
  expect(await bundles()).toEqual(before);
});

const STEPS: [string, string, string, () => Promise<unknown>][] = [
  [
    'signIn',
    'Sign in to a server',
    'Sign In',
    async () => {
      await work.editor.page.getByText('Sign in to a content server').waitFor();
      await work.editor.page.keyboard.press('Escape');
    },
  ],
  [
    'files',
    'Preview the bundle',
    'Preview Bundle',
    () => work.editor.page.locator('.pane-body .monaco-list-row', { hasText: 'chart.svg' }).waitFor(),
  ],
  ['publish', 'Publish', 'Publish', () => work.toast('static-page is live')],
  [
    'history',
    'Roll back when you need to',
    'Show Deployments',
    () =>
      work.editor.page.locator('.pane-body .monaco-list-row', { hasText: 'static-page' }).first().waitFor(),
  ],
];

test.each(STEPS)(
  'the walkthrough has a picture and a working link: %s',
  async (id, title, button, happens) => {
    const { page } = work.editor;
    await work.editor.inHost(async (vs) => {
      // The picture only shows beside the steps if there is enough room.
      for (const rest of ['closePanel', 'closeSidebar', 'closeAllEditors'])
        await vs.commands.executeCommand(`workbench.action.${rest}`);
      await vs.commands.executeCommand('workbench.action.openWalkthrough', 'pressroom.pressroom#start');
    });
    const expanded = page.locator('.getting-started-step.expanded').filter({ hasText: title });
    const open = async () => {
      // The list is rebuilt when a step completes, so a click may be lost.
      if (!(await expanded.isVisible())) await page.locator(`[data-step-id$="#${id}"]`).click();
      return expanded.isVisible();
    };
    await expect.poll(open, { timeout: 20_000 }).toBe(true);
    await page.frameLocator('iframe.webview').frameLocator('#active-frame').locator('svg').first().waitFor();
    await work.editor.screenshot(`walkthrough-${button.replaceAll(' ', '-')}`);
    await expanded.getByRole('button', { name: button, exact: true }).click();
    await happens();
    expect(await dialog().count()).toBe(0);
  },
);
