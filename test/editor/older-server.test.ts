// In a real editor, against a server of the experimental form only, transcribed from the contract: the same three inputs,
// the same click, history and rollback, and the truth about what it cannot do.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { startExperimentalServer, type ExperimentalServer } from './experimental-server.ts';
import { startWork, type Work } from './work.ts';

const KEY = 'a-key-of-the-older-server';

let work: Work;
let older: ExperimentalServer;
beforeAll(async () => {
  older = await startExperimentalServer(KEY);
  work = await startWork({ extensions: inject('extensions'), url: () => older.url, key: KEY });
});
afterAll(async () => {
  await work[Symbol.asyncDispose]();
  await older[Symbol.asyncDispose]();
});
afterEach(async ({ task }) => {
  older.hold(false);
  await work.editor.screenshot(`older-${task.name.replaceAll(/\W+/g, '-')}`);
  await work.clearToasts();
});

const record = () => readFile(join(work.folder, '.pressroom/deployments/static-page.toml'), 'utf8');
const E = '/__api__/v1/experimental';

test('publishes in three inputs, then with one click, by documented calls only', async () => {
  await work.firstTime();
  await work.toast('static-page is live');
  expect(older.activeBundle()).toBe('1');
  for (const call of [
    `POST ${E}/content`,
    `POST ${E}/content/{}/upload`,
    `POST ${E}/content/{}/deploy`,
    `GET ${E}/tasks/{}`,
  ])
    expect(older.calls).toContain(call);
  await work.clearToasts();
  await writeFile(join(work.folder, 'new.txt'), 'new');
  await work.command('pressroom.publish');
  await work.toast('static-page is live');
  expect(older.activeBundle()).toBe('2');
  expect(older.bundles).toHaveLength(2);
  // Which form it speaks is asked for once at a time, by the one call of today's form.
  // The page is visited as by anybody: that is no call of the API. What the server takes is asked for, and not needed.
  expect([...new Set(older.refused)].toSorted()).toEqual([
    'GET /__api__/server_settings/applications',
    'GET /__api__/v1/user',
    'GET /content/{}/',
  ]);
});

test('history, comparison and rollback', async () => {
  await work.command('pressroom.rollbackLast', work.folder);
  await work.toast('static-page is live');
  expect(older.activeBundle()).toBe('1');
  expect(await record()).toContain('bundle_id = "1"');
  await work.command('pressroom.compare', work.folder);
  await work.editor.page
    .getByText(/bundle 1 ↔ workspace \(1 file\)/)
    .first()
    .waitFor();
  expect(older.calls).toContain(`GET ${E}/bundles/{}/download`);
});

test('a cancelled deploy goes on there, and that is what is said', async () => {
  older.hold(true);
  await work.command('pressroom.publish');
  await work.toast('Deploying on the server');
  await work.press('Cancel');
  await work.toast(/Cancelled\. This server cannot cancel a task: the deploy \w+ continues there/);
  expect(older.refused.some((call) => call.endsWith('/cancel'))).toBe(true);
});
