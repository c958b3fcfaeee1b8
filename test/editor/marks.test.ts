// Covers marks in the explorer of a real editor: they compare content, not times, with the live bundle. Then covers a
// draft beside the live bundle, from the tree and the palette.
import { readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@pressroom/api/client';
import { deploy, readRecords } from '@pressroom/api/publish';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import type { TabInputCustom } from 'vscode';
import { startWork, type Work } from './work.ts';

let work: Work;
beforeAll(async () => {
  work = await startWork({
    extensions: inject('extensions'),
    server: { settings: { 'HTTP.ShutdownTimeout': 1, 'Applications.Pictures': true } },
  });
  await work.editor.inHost(async (vs) => {
    await vs.extensions.getExtension('pressroom.pressroom')!.activate();
    await vs.commands.executeCommand('workbench.view.explorer');
  });
});
afterAll(() => work[Symbol.asyncDispose]());
afterEach(async ({ task }) => {
  await work.editor.screenshot(`marks-${task.name.replaceAll(/\W+/g, '-')}`);
  await work.clearToasts();
});

const marked = (file: string, text = '') =>
  work.editor.page.locator(`.explorer-folders-view .explorer-item[aria-label*="${file} • ${text}"]`);
const write = (file: string, text: string) => writeFile(join(work.folder, file), text);
const read = (file: string) => readFile(join(work.folder, file), 'utf8');
const record = () => read('.pressroom/deployments/static-page.toml');
const CHANGED = 'Changed since last published';

/** Waits for the next scan: it has ended when it marks this new file. */
async function nextLook(file: string, mark = 'New: not published yet') {
  await write(file, 'new');
  await marked(file, mark).waitFor();
}

test('marks every included file before the first publish', async () => {
  await marked('index.html', 'Will be published').waitFor();
  expect(await marked('.pressroom').count()).toBe(0);
});

test('a failed first deploy leaves the marks and is noted in the record', async () => {
  const { deploys, tasks } = work.server.running.services;
  const own = deploys.run;
  deploys.run = (id) =>
    tasks.run(id, async () => {
      throw new Error('the page fell apart');
    });
  await work.firstTime();
  await work.toast(/Could not publish static-page/);
  deploys.run = own;
  expect(await record()).not.toContain('bundle_id');
  await nextLook('one.txt', 'Will be published');
  await marked('index.html', 'Will be published').waitFor();
  await work.command('pressroom.deployments.focus');
  await work.ended();
  await work.editor.screenshot('marks-failed-tree');
  await work.command('workbench.view.explorer');
});

test('a live bundle clears the marks, and a new modification time sets none', async () => {
  await work.command('pressroom.publish');
  await work.toast('static-page is live');
  expect(await record()).toContain('bundle_id = "2"');
  await marked('index.html').waitFor({ state: 'detached' });
  await utimes(join(work.folder, 'style.css'), new Date(), new Date());
  await nextLook('two.txt');
  expect(await marked('style.css').count()).toBe(0);
});

test('a changed file is marked by its content, even with the same size and time', async () => {
  const page = await read('index.html');
  const old = new Date('2020-01-01');
  await write('index.html', page.replace('a', 'b'));
  await utimes(join(work.folder, 'index.html'), old, old);
  await marked('index.html', CHANGED).waitFor();
  await write('index.html', page);
  await marked('index.html').waitFor({ state: 'detached' });
  expect(await marked('style.css').count()).toBe(0);
});

test('after a rollback the record and marks follow the live bundle', async () => {
  await write('style.css', `${await read('style.css')}/* changed */\n`);
  await marked('style.css', CHANGED).waitFor();
  await work.command('pressroom.publish');
  await work.toast('static-page is live');
  await marked('style.css').waitFor({ state: 'detached' });
  await work.clearToasts();
  await work.command('pressroom.rollbackLast', work.folder);
  await work.toast('static-page is live');
  expect(await record()).toContain('bundle_id = "2"');
  await marked('style.css', CHANGED).waitFor();
  await marked('two.txt', 'New: not published yet').waitFor();
  // The deploy of bundle 1 failed.
  await work.command('pressroom.rollbackLast', work.folder);
  await work.toast('No other bundle was live before');
});

test('a bundle published by somebody else shows no marks until it is compared', async () => {
  const client = createClient({ url: work.server.url, apiKey: work.person.key });
  const { length } = await Array.fromAsync(deploy({ client, dir: work.folder }));
  await client.close();
  expect(length).toBeGreaterThan(3);
  expect(await record()).toContain('bundle_id = "4"');
  await write('style.css', 'body { color: red }\n');
  await write('.env', 'S=1');
  await marked('.env', 'Excluded').waitFor();
  expect(await marked('style.css').count()).toBe(0);
  await work.command('pressroom.compare', work.folder);
  await work.editor.page
    .getByText(/bundle 4 ↔ workspace \(1 file\)/)
    .first()
    .waitFor();
  await marked('style.css', CHANGED).waitFor();
  expect(await marked('index.html').count()).toBe(0);
});

const published = async () => (await readRecords(work.folder))[0]!;
async function servedPage(): Promise<string> {
  const { guid } = await published();
  const { key } = work.person;
  const response = await fetch(`${work.server.url}/content/${guid}/`, {
    headers: { authorization: `Key ${key}` },
  });
  return response.text();
}
const drafts = async () =>
  (await work.person.call('GET', `/v1/content/${(await published()).guid}/drafts`)).body as {
    bundle_id: string;
  }[];

const writeSales = (sales: number) =>
  writeFile(
    join(work.folder, 'index.html'),
    `<h1>Drafted</h1>
<table><caption>Sales</caption><tr><th>Region</th><th>2026</th></tr><tr><td>North</td><td>${sales}</td></tr></table>
`,
  );

test('a draft is published, shown in the tree, discarded, published again and activated', async () => {
  const { page: window, inHost, screenshot } = work.editor;
  await writeSales(1200);
  const live = Number((await published()).bundle_id);
  await work.command('pressroom.publishDraft', work.folder);
  await work.toast('The draft of static-page is ready');
  expect(await servedPage()).not.toContain('Drafted');
  expect((await drafts()).map(({ bundle_id }) => bundle_id)).toEqual([`${live + 1}`]);
  expect((await published()).bundle_id).toBe(`${live}`);
  await work.clearToasts();
  await inHost((vs) => vs.commands.executeCommand('pressroom.deployments.focus'));
  const row = (name: string) => window.locator(`.pane-body .monaco-list-row[aria-label^="${name}"]`);
  // The first row is the folder, the second its content.
  await work.expand(row('static-page').first(), row('static-page').nth(1));
  await work.expand(row('static-page').nth(1), row(`Bundle ${live + 1}, draft`));
  await screenshot('drafts-tree');
  await work.command('pressroom.discardDraft', work.folder);
  await window.locator('.monaco-dialog-box').getByRole('button', { name: 'Discard' }).click();
  await work.toast('The draft of static-page was discarded');
  expect(await drafts()).toEqual([]);
  await row(`Bundle ${live + 1}, just now`).waitFor();
  await work.clearToasts();
  await work.command('pressroom.publishDraft', work.folder);
  await work.toast('The draft of static-page is ready');
  await work.press('Make Live');
  await work.toast('static-page is live');
  expect(await servedPage()).toContain('Drafted');
  expect((await published()).bundle_id).toBe(`${live + 2}`);
});

test('the comparison with a bundle starts with numbers that moved', async () => {
  const { page: window, inHost, screenshot } = work.editor;
  await writeSales(900);
  const live = Number((await published()).bundle_id);
  await work.command('pressroom.publishDraft', work.folder);
  await work.toast('The draft of static-page is ready');
  await work.clearToasts();
  await work.command('pressroom.compareBundle', work.folder);
  await window.locator('.quick-input-list .monaco-list-row', { hasText: `Bundle ${live + 1}` }).click();
  // The folder equals the bundle, so only what readers see differs from the live bundle.
  const shown = window.locator('.multiDiffEditor .monaco-diff-editor:visible');
  const moved = shown.getByText('Sales, North, 2026: 900 (-25 %)');
  await moved.waitFor();
  expect(await moved.count()).toBe(1);
  await screenshot('compared-numbers');
  // The server offers pictures if it has Chromium.
  await work.press('Show Pictures');
  await window.locator('.tab.active', { hasText: 'what differs.png' }).waitFor();
  for (const name of [`before (bundle ${live}).png`, `after (bundle ${live + 1}).png`])
    expect(await window.locator('.tab', { hasText: name }).count()).toBe(1);
  const opened = () =>
    inHost(async (vs) => {
      const input = vs.window.tabGroups.activeTabGroup.activeTab?.input as TabInputCustom | undefined;
      if (!input?.viewType) return [];
      const bytes = await vs.workspace.fs.readFile(input.uri);
      return [input.viewType, String.fromCharCode(...bytes.slice(1, 4))];
    });
  await expect.poll(opened).toEqual(['imagePreview.previewEditor', 'PNG']);
  await screenshot('compared-pictures');
});
