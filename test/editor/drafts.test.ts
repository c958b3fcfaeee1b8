// In a real editor: a draft beside what is live, from the tree and the palette.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRecords } from '@pressroom/api/publish';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { startWork, type Work } from './work.ts';

let work: Work;
beforeAll(async () => {
  work = await startWork({
    extensions: inject('extensions'),
    server: { settings: { 'HTTP.ShutdownTimeout': 1, 'Applications.Pictures': true } },
  });
  await work.firstTime();
  await work.toast('static-page is live');
  await work.clearToasts();
});
afterAll(() => work[Symbol.asyncDispose]());

const record = async () => (await readRecords(work.folder))[0]!;
async function page(): Promise<string> {
  const { guid } = await record();
  const { key } = work.person;
  const answer = await fetch(`${work.server.url}/content/${guid}/`, {
    headers: { authorization: `Key ${key}` },
  });
  return answer.text();
}
const drafts = async () =>
  (await work.person.call('GET', `/v1/content/${(await record()).guid}/drafts`)).body as {
    bundle_id: string;
  }[];

const write = (sales: number) =>
  writeFile(
    join(work.folder, 'index.html'),
    `<h1>Drafted</h1>
<table><caption>Sales</caption><tr><th>Region</th><th>2026</th></tr><tr><td>North</td><td>${sales}</td></tr></table>
`,
  );

test('a draft is published, seen in the tree, discarded, and published again and made live', async () => {
  const { page: window, inHost, screenshot } = work.editor;
  await write(1200);
  await work.command('pressroom.publishDraft', work.folder);
  await work.toast('The draft of static-page is ready');
  expect(await page()).not.toContain('Drafted');
  expect((await drafts()).map(({ bundle_id }) => bundle_id)).toEqual(['2']);
  expect((await record()).bundle_id).toBe('1');
  await work.clearToasts();
  await inHost((vs) => vs.commands.executeCommand('pressroom.deployments.focus'));
  const row = (name: string) => window.locator(`.pane-body .monaco-list-row[aria-label^="${name}"]`);
  // The first row is the folder; the one below it is its content.
  await row('static-page').first().click();
  await window.keyboard.press('ArrowRight');
  await row('static-page').nth(1).click();
  await window.keyboard.press('ArrowRight');
  await row('Bundle 2, draft').waitFor();
  await screenshot('drafts-tree');
  await work.command('pressroom.discardDraft', work.folder);
  await window.locator('.monaco-dialog-box').getByRole('button', { name: 'Discard' }).click();
  await work.toast('The draft of static-page was discarded');
  expect(await drafts()).toEqual([]);
  await row('Bundle 2, just now').waitFor();
  await work.clearToasts();
  await work.command('pressroom.publishDraft', work.folder);
  await work.toast('The draft of static-page is ready');
  await work.press('Make Live');
  await work.toast('static-page is live');
  expect(await page()).toContain('Drafted');
  expect((await record()).bundle_id).toBe('3');
});

test('the comparison with a bundle begins with numbers that moved between it and what is live', async () => {
  const { page: window, screenshot } = work.editor;
  await write(900);
  await work.command('pressroom.publishDraft', work.folder);
  await work.toast('The draft of static-page is ready');
  await work.clearToasts();
  await work.command('pressroom.compareBundle', work.folder);
  await window.locator('.quick-input-list .monaco-list-row', { hasText: 'Bundle 4' }).click();
  // The folder is as the bundle: only what readers see differs from what is live.
  const shown = window.locator('.multiDiffEditor .monaco-diff-editor:visible');
  const moved = shown.getByText('Sales, North, 2026: 900 (-25 %)');
  await moved.waitFor();
  expect(await moved.count()).toBe(1);
  await screenshot('compared-numbers');
  // The server answers with pictures where it has Chromium.
  await window.locator('.notification-toast').getByRole('button', { name: 'Show Pictures' }).click();
  await window.locator('.tab.active', { hasText: 'what differs.png' }).waitFor();
  for (const name of ['before (bundle 3).png', 'after (bundle 4).png'])
    expect(await window.locator('.tab', { hasText: name }).count()).toBe(1);
  const image = window.frameLocator('iframe.webview.ready').frameLocator('#active-frame').locator('img');
  await image.waitFor();
  await screenshot('compared-pictures');
});
