// Covers several targets of a folder in a real editor, one of them active: few interactions, and few requests.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRecords } from '@pressroom/api/publish';
import { publish } from '@pressroom/testkit';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import type * as vscode from 'vscode';
import { passTo, startRecorder, type Recorder } from './recorder.ts';
import { startWork, type Work } from './work.ts';

let work: Work;
let server: Recorder;
beforeAll(async () => {
  server = await startRecorder(passTo(() => work.server.url));
  work = await startWork({
    extensions: inject('extensions'),
    url: () => server.url,
    settings: { 'pressroom.confirmBeforePublish': ['production'] },
  });
});
afterAll(async () => {
  await work[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
afterEach(async ({ task }) => {
  await work.editor.screenshot(`targets-${task.name.replaceAll(/\W+/g, '-')}`);
  await work.clearToasts();
});

const bundlesIn = async (guid: string) =>
  (await work.person.call('GET', `/v1/content/${guid}/bundles`)).body as { id: string; active: boolean }[];
const bundlesOf = async (guid: string) => (await bundlesIn(guid)).length;
const activeOf = async (guid: string) => (await bundlesIn(guid)).find(({ active }) => active)?.id;
const records = () => readRecords(work.folder);
const statusBar = (text: string) => work.editor.page.locator('.statusbar-item', { hasText: text }).first();
const row = (text: string) =>
  work.editor.page.locator('.pane-body .monaco-list-row:visible', { hasText: text }).first();
const picks = (text: string) =>
  work.editor.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();

test('the first publish accepts a title while the tree is open', async () => {
  const { page } = work.editor;
  await work.command('pressroom.deployments.focus');
  await row('static-page').waitFor();
  await work.command('pressroom.publish');
  await page.getByText(/\(1\/3\)/).waitFor();
  await work.respond(server.url);
  await page.getByText(/\(2\/3\)/).waitFor();
  await work.respond(work.person.key);
  await page.getByText(/\(3\/3\)/).waitFor();
  await picks('Title: static-page').click();
  await page.getByText('Title of the new content').first().waitFor();
  await work.respond('Sales of the cafés');
  await picks('Title: Sales of the cafés').waitFor();
  await work.respond(null);
  await work.toast('static-page is live');
  const [content] = (await work.person.call('GET', '/v1/content')).body;
  expect(content.title).toBe('Sales of the cafés');
});

test('a publish sends at most twelve requests besides following its task', async () => {
  const content = work.editor.page.locator('.monaco-list-row[aria-level="2"]').first();
  await work.expand(row('Live'), content);
  await work.expand(content, row('Bundle 1'));
  server.calls.length = 0;
  await work.command('pressroom.publish');
  await work.toast('static-page is live');
  await row('Bundle 2').waitFor();
  const asked = server.calls
    .map((call) => call.replace(/ Key .*$/, ''))
    .filter((call) => !call.includes('/tasks/'));
  expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(12);
  const lists = asked.filter((call) => /^GET .*\/bundles$/.test(call));
  expect(lists, asked.join('\n')).toHaveLength(1);
});

test('a selected row fills Files, and every row has an accessible name', async () => {
  await row('index.html').waitFor();
  const said = (text: string) =>
    work.editor.page.locator(`.pane-body .monaco-list-row[aria-label^="${text}"]`).first();
  await said('index.html, Included: ').waitFor();
  await said('Bundle 1, ').waitFor();
  await said('static-page, Live').waitFor();
  const box = work.editor.page.getByRole('checkbox', { name: 'Include data.csv in the bundle' });
  await expect.poll(() => box.count()).toBe(1);
});

test('a named target appears in the status bar, and one listed in the settings requires confirmation', async () => {
  const { page } = work.editor;
  await work.command('pressroom.nameTarget', work.folder);
  await page.getByText('Name of the target').first().waitFor();
  await work.respond('production');
  const { guid } = (await records())[0]!;
  const before = await bundlesOf(guid);
  await statusBar('Publish to production').click();
  const dialog = page.locator('.monaco-dialog-box');
  await dialog.getByText('Publish static-page to production').waitFor();
  await work.editor.screenshot('targets-confirm');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await bundlesOf(guid)).toBe(before);
  await statusBar('Publish to production').click();
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await work.toast('static-page is live');
  expect(await bundlesOf(guid)).toBe(before + 1);
});

test('new content becomes the active target; the previous one stays selectable', async () => {
  const { page } = work.editor;
  const [production] = await records();
  await work.command('pressroom.publishAsNew');
  await page.getByText(/\(1\/3\)/).waitFor();
  await work.respond(server.url);
  await page.getByText(/\(3\/3\)/).waitFor();
  await work.respond(null);
  await work.toast('static-page is live');
  await work.clearToasts();
  const staging = (await records()).find(({ guid }) => guid !== production!.guid)!;
  await work.command('pressroom.nameTarget', work.folder);
  await page.getByText('Name of the target').first().waitFor();
  await work.respond('staging');
  await statusBar('Publish to staging').waitFor();
  await page.getByRole('button', { name: 'Select another target' }).click();
  await picks('production').click();
  await statusBar('Publish to production').waitFor();
  await work.editor.screenshot('targets-chosen');
  const before = [await bundlesOf(production!.guid), await bundlesOf(staging.guid)];
  await work.command('pressroom.publishTo', work.folder);
  await picks('staging').click();
  await work.toast('static-page is live');
  expect([await bundlesOf(production!.guid), await bundlesOf(staging.guid)]).toEqual([
    before[0],
    before[1]! + 1,
  ]);
});

test('by keyboard alone: rolls back to a bundle from its context menu', async () => {
  const { page } = work.editor;
  const production = (await records()).find(({ target }) => target === 'production')!;
  await work.command('pressroom.deployments.focus');
  await work.expand(row('production'), row('Bundle 1'));
  const item = page.locator('.monaco-menu .action-label', { hasText: 'Roll Back to Bundle' });
  const openMenu = async () => {
    await row('Bundle 1').click();
    await page.keyboard.press('Shift+F10');
    await item.waitFor();
  };
  await openMenu();
  await work.editor.screenshot('targets-menu');
  const chosen = page.locator('.monaco-menu .action-item.focused', { hasText: 'Roll Back to Bundle' });
  while (!(await chosen.isVisible())) {
    // A view that is updated closes the menu.
    if (await item.isVisible()) await page.keyboard.press('ArrowDown');
    else await openMenu();
  }
  await page.keyboard.press('Enter');
  // A rollback of a target that the settings list is confirmed, too.
  const dialog = page.locator('.monaco-dialog-box');
  await dialog.getByText('Roll static-page back to bundle 1 on production').waitFor();
  expect(await activeOf(production.guid)).not.toBe('1');
  await page.keyboard.press('Enter');
  await work.toast('static-page is live');
  expect(await activeOf(production.guid)).toBe('1');
  await work.clearToasts();
  await work.command('pressroom.rollback', { dir: work.folder, record: production });
  await picks('Bundle 2').waitFor();
  await work.respond('Bundle 2');
  await dialog.getByRole('button', { name: 'Roll Back' }).click();
  await work.toast('static-page is live');
  expect(await activeOf(production.guid)).toBe('2');
});

test('a target is forgotten, reused from the list, and deleted on the server', async () => {
  const { page } = work.editor;
  const staging = (await records()).find(({ target }) => target === 'staging')!;
  const dialog = page.locator('.monaco-dialog-box');
  await work.command('pressroom.forgetTarget', { dir: work.folder, record: staging });
  await dialog.getByRole('button', { name: 'Forget' }).click();
  await expect.poll(async () => (await records()).length).toBe(1);
  await work.command('pressroom.adoptContent', work.folder);
  await picks('static-page').click();
  await work.toast('static-page is published to');
  expect((await records()).map(({ guid }) => guid)).toContain(staging.guid);
  const again = (await records()).find(({ guid }) => guid === staging.guid)!;
  const linking = { 'index.html': `<a href="/content/${staging.guid}/">` };
  await publish(work.person, linking, { fields: { name: 'overview', title: 'Overview' } });
  const links = async () =>
    (await work.person.call('GET', `/v1/content/${staging.guid}/links`)).body.total as number;
  await expect.poll(links).toBe(1);
  await work.command('pressroom.deleteContent', { dir: work.folder, record: again });
  await dialog.getByText('This cannot be undone').waitFor();
  await dialog.getByText('Content that links to it: Overview.').waitFor();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await work.toast(`${again.name} was deleted.`);
  expect((await work.person.call('GET', `/v1/content/${staging.guid}`)).status).toBe(404);
  expect(await records()).toHaveLength(1);
});

test('content of unknown type asks for its type, and publishes from its own folder', async () => {
  const { page } = work.editor;
  const notes = join(work.folder, 'notes');
  await mkdir(notes);
  await writeFile(join(notes, 'notes.txt'), 'Written down.');
  await work.command('pressroom.publishAsNew', notes);
  await page.getByText(/\(1\/3\)/).waitFor();
  await work.respond(server.url);
  await page.getByText(/\(3\/3\)/).waitFor();
  await picks('Choose the type').waitFor();
  await work.editor.screenshot('targets-unknown');
  await work.respond(null);
  // The list scrolls, so not all rows are rendered.
  await picks('Shiny application').first().waitFor();
  await page.keyboard.type('Web page');
  await expect.poll(() => picks('application').count()).toBe(0);
  await work.respond(null);
  await picks('notes.txt').click();
  await page.getByText(/\(3\/3\)/).waitFor();
  await picks('Web page').waitFor();
  await work.respond(null);
  await work.toast('notes is live');
  expect(await readRecords(notes)).toHaveLength(1);
});

test('another document of a published folder becomes content of its own, and each goes to its own target', async () => {
  const { page, inHost } = work.editor;
  const notes = join(work.folder, 'notes');
  await writeFile(join(notes, 'summary.html'), '<h1>Summary');
  const publishFrom = async (name: string) => {
    const show = async (vs: typeof vscode, file: string) =>
      void (await vs.window.showTextDocument(vs.Uri.file(file)));
    await inHost(show, join(notes, name));
    await work.command('pressroom.publish');
  };
  const live = async () =>
    Object.fromEntries(
      (await readRecords(notes)).map(({ entrypoint, bundle_id }) => [entrypoint, bundle_id]),
    );
  const before = await live();
  await publishFrom('summary.html');
  await picks('Publish notes.txt').waitFor();
  await picks('Publish summary.html as new content').click();
  await page.getByText(/\(1\/3\)/).waitFor();
  await work.respond(server.url);
  await page.getByText(/\(3\/3\)/).waitFor();
  await picks('Title: summary').waitFor();
  await work.respond(null);
  await work.toast('notes is live');
  await work.ended();
  await work.clearToasts();
  const both = await live();
  expect(both).toEqual({ ...before, 'summary.html': expect.any(String) });
  await publishFrom('notes.txt');
  await work.toast('notes is live');
  await work.ended();
  const after = await live();
  expect(after['summary.html']).toBe(both['summary.html']);
  expect(after['notes.txt']).not.toBe(both['notes.txt']);
});
