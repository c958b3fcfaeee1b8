// In a real editor: Cancel leaves nothing behind, and a reload of the window loses nothing.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { endlessDeploys } from './endless-deploys.ts';
import { startGate, type Gate } from './gate.ts';
import { startWork, type Work } from './work.ts';

let gate: Gate;
let work: Work;
beforeAll(async () => {
  work = await startWork({ extensions: inject('extensions') });
  gate = startGate(work.server.url);
  await writeFile(join(work.folder, 'noise.bin'), randomBytes(30_000_000));
});
afterAll(async () => {
  await gate[Symbol.asyncDispose]();
  await work[Symbol.asyncDispose]();
});
afterEach(async ({ task }) => {
  gate.open();
  await work.editor.screenshot(`cancel-after-${task.name.replaceAll(/\W+/g, '-')}`);
  await work.clearToasts();
});

const contents = async () =>
  (await work.person.call('GET', '/v1/content')).body as { guid: string; bundle_id: string }[];
const bundles = async (guid: string) =>
  (await work.person.call('GET', `/v1/content/${guid}/bundles`)).body as { id: string; active: boolean }[];

test('cancelling a first upload removes the content that was made for it', async () => {
  await work.command('pressroom.publish');
  const { page } = work.editor;
  await page.getByText('(1/3)').waitFor();
  await work.answer(gate.url());
  await page.getByText('(2/3)').waitFor();
  await work.answer(work.person.key);
  await page.getByText('(3/3)').waitFor();
  gate.holdAfter(2_000_000);
  await work.answer(null);
  await gate.held();
  expect(await contents()).toHaveLength(1);
  await work.toast(/Uploading [\d.]+ .?B of (29|30) MB/);
  await work.editor.screenshot('cancel-uploading');
  await work.press('Cancel');
  gate.open();
  await work.toast('Cancelled. Nothing was left on the server.');
  expect(await contents()).toEqual([]);
});

test('after that one click is enough: the answers were kept', async () => {
  await work.command('pressroom.publish');
  await work.toast('static-page is live');
  expect(await contents()).toHaveLength(1);
});

test('cancelling while the server works stops its task, and keeps what was live', async () => {
  const [before] = await contents();
  const deploys = endlessDeploys(work);
  await work.command('pressroom.publish');
  await deploys.begun();
  await work.editor.screenshot('cancel-rendering');
  await work.press('Cancel');
  await work.toast('Cancelled. Nothing was left on the server.');
  deploys.restore();
  const { storage } = work.server.running.services;
  expect(await storage.db.selectFrom('task').selectAll().where('finished', '=', 0).execute()).toEqual([]);
  const [content] = await contents();
  expect(content!.bundle_id).toBe(before!.bundle_id);
  expect((await bundles(content!.guid)).map(({ id }) => id)).toEqual([before!.bundle_id]);
});

test('a reload in the middle goes on: in the tree, in the log, to its end', async () => {
  const [before] = await contents();
  const deploys = endlessDeploys(work);
  await work.command('pressroom.publish');
  await deploys.begun();
  await work.editor.reload();
  await work.toast('Publishing static-page');
  await work.command('pressroom.deployments.focus');
  await work.editor.page
    .locator('.pane-body .monaco-list-row[aria-label*="Deploying on the server"]')
    .waitFor();
  await work.editor.screenshot('resumed');
  deploys.finish();
  await work.toast('static-page is live');
  deploys.restore();
  const record = () => readFile(join(work.folder, '.pressroom/deployments/static-page.toml'), 'utf8');
  const sent = (await bundles(before!.guid)).filter(({ id }) => id !== before!.bundle_id);
  expect(sent).toHaveLength(1);
  await expect.poll(record).toContain(`bundle_id = "${sent[0]!.id}"`);
  await expect.poll(() => work.editor.log()).toMatch(/chunk 1 of 2\n.*chunk 2 of 2/);
});

test('a reload in the middle of an upload leaves no half-made bundle', async () => {
  const [content] = await contents();
  const before = (await bundles(content!.guid)).length;
  gate.holdAfter(2_000_000);
  await work.command('pressroom.publish');
  await gate.held();
  await work.editor.reload();
  gate.open();
  await work.toast('Publishing static-page was interrupted when the window was closed.');
  await work.editor.screenshot('cut-off');
  await work.press('Publish Again');
  await work.toast('static-page is live');
  expect(await bundles(content!.guid)).toHaveLength(before + 1);
});
