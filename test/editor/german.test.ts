// Covers German in a real editor: all texts of the extension are German, and fit.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { startWork, type Work } from './work.ts';

let work: Work;
beforeAll(async () => {
  work = await startWork({ extensions: inject('extensions'), language: 'de' });
});
afterAll(() => work[Symbol.asyncDispose]());
afterEach(async ({ task }) => {
  await work.editor.screenshot(`german-${task.name.replaceAll(/\W+/g, '-')}`);
  await work.clearToasts();
});

const row = (text: string) =>
  work.editor.page.locator('.pane-body .monaco-list-row:visible', { hasText: text }).first();

const content = (text: string) =>
  work.editor.page.locator('.pane-body .monaco-list-row[aria-level="2"]:visible', { hasText: text }).first();

test('translates the three inputs, the log and the outcome of publishing', async () => {
  expect(await work.editor.inHost((vs) => vs.env.language)).toBe('de');
  const { page } = work.editor;
  await work.command('pressroom.publish');
  await page.getByText('static-page veröffentlichen (1/3)').waitFor();
  await page.getByText('Serveradresse').first().waitFor();
  await work.editor.screenshot('german-1');
  await work.respond(work.server.url);
  await page.getByText('wird als Geheimnis gespeichert').first().waitFor();
  await work.editor.screenshot('german-2');
  await work.respond(work.person.key);
  await page.getByText('(3/3)').waitFor();
  await page.getByText('index.html ist eine Seite, die unverändert ausgeliefert wird.').waitFor();
  await work.editor.screenshot('german-3');
  await work.respond(null);
  await work.toast('static-page ist live.');
  await expect
    .poll(() => work.editor.log())
    .toMatch(/Veröffentliche static-page → .*\n(.*\n)*.*Live unter http/);
});

test('translates trees, marks and the status bar', async () => {
  await writeFile(join(work.folder, 'index.html'), '<h1>Neu</h1>');
  await writeFile(join(work.folder, '.env'), 'S=1');
  await work.command('pressroom.deployments.focus');
  await work.expand(row('static-page'), content('static-page'));
  await work.expand(content('static-page'), row('Bundle 1').getByText('aktiv'));
  await work.command('pressroom.showFiles', work.folder);
  await row('.env').waitFor();
  await work.editor.screenshot('german-trees');
  await work.ended();
  await work.command('workbench.view.explorer');
  const changed = '[aria-label*="index.html • Seit der letzten Veröffentlichung geändert"]';
  await work.editor.page.locator(`.explorer-item${changed}`).waitFor();
  const status = work.editor.page.locator('.statusbar-item', { hasText: 'Veröffentlichen' });
  expect(await status.count()).toBe(1);
});

test('translates the commands and the walkthrough', async () => {
  const { page } = work.editor;
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget input').first().fill('>Pressroom: ');
  const rows = page.locator('.quick-input-list .monaco-list-row[aria-label^="Pressroom: "]');
  await rows.filter({ hasText: 'Veröffentlichen' }).first().waitFor();
  await work.editor.screenshot('german-palette');
  // The editor shows the English title after the German one.
  const english = /^Pressroom: (Publish|Roll|Sign|Show|Choose|Open|Compare|Check|Preview|Set|Cancel)/;
  const titles = await rows.allTextContents();
  expect(titles.length).toBeGreaterThan(5);
  expect(titles.filter((title) => english.test(title))).toEqual([]);
  await page.keyboard.press('Escape');
  for (const rest of ['closePanel', 'closeSidebar']) await work.command(`workbench.action.${rest}`);
  await work.command('workbench.action.openWalkthrough', 'pressroom.pressroom#start');
  await page.locator('.getting-started-step.expanded').waitFor();
});

test('translates a failure and its remedy', async () => {
  const admin = await work.server.administrator();
  const [{ guid }] = (await admin.call('GET', '/v1/content')).body;
  await admin.call('DELETE', `/v1/content/${guid}`);
  await work.command('pressroom.publish');
  await work.toast(
    'static-page konnte nicht veröffentlicht werden: Der Inhalt ist auf dem Server nicht mehr vorhanden.',
  );
  await work.editor.page.getByRole('button', { name: 'Neu veröffentlichen' }).waitFor();
  await expect.poll(() => work.editor.log()).toContain('Veröffentlichen fehlgeschlagen: ');
});
