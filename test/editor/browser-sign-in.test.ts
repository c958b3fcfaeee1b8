// Covers sign-in with a real browser beside a real editor: the first publish signs in there, without pasting a key.
// Then covers a server with the experimental form only, transcribed from the contract: three inputs, one click, history
// and rollback, and a message about what it cannot do.
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readRecords } from '@pressroom/api/publish';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { startExperimentalServer, type ExperimentalServer } from './experimental-server.ts';
import { startWork, type Work } from './work.ts';

let work: Work;
let plain: Server;
let older: ExperimentalServer;
const OLDER_KEY = 'a-key-of-the-older-server';
beforeAll(async () => {
  work = await startWork({ extensions: inject('extensions') });
  older = await startExperimentalServer(OLDER_KEY);
  // A content server of another vendor: it has server settings, but nothing of this API.
  plain = createServer((request, response) => {
    const known = request.url?.startsWith('/__api__/server_settings') === true;
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
    response.end(
      known
        ? '{"version":"1","hostname":"x","authentication":{"name":"password"}}'
        : '{"code":2,"error":"no","payload":null}',
    );
  });
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  plain.close();
  await work[Symbol.asyncDispose]();
  await older[Symbol.asyncDispose]();
});
afterEach(async ({ task }) => {
  older.hold(false);
  await work.editor.screenshot(`browser-after-${task.name.replaceAll(/\W+/g, '-')}`);
  await work.clearToasts();
});

/** Goes to the second input, and on to the code. */
async function begin(url: string): Promise<void> {
  const { page } = work.editor;
  await work.command('pressroom.publish');
  await page.getByText('(1/3)').waitFor();
  await work.respond(url);
  await page.getByText('(2/3)').waitFor();
  await work.respond(null);
}

async function codeShown(): Promise<string> {
  const prompt = work.editor.page.getByText(/if the page shows the code [A-Z]{4}-[A-Z]{4}/).first();
  await prompt.waitFor();
  return /[A-Z]{4}-[A-Z]{4}/.exec((await prompt.textContent())!)![0];
}

/** Opens the confirmation in the person's browser, signs in and compares the code. */
async function question(code: string, { username } = work.person): Promise<Page> {
  const context = await work.editor.page.context().browser()!.newContext();
  const tab = await context.newPage();
  await tab.goto(`${work.server.url}/__dashboard__/device?code=${code}`);
  await tab.getByLabel('Username').fill(username);
  await tab.getByLabel('Password').fill('correct horse');
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.getByText(code, { exact: true }).waitFor();
  await tab.getByText(/Pressroom for VS Code on /).waitFor();
  return tab;
}

const keys = async () =>
  (await work.person.call('GET', `/v1/users/${work.person.guid}/keys`)).body as {
    id: string;
    name: string;
  }[];

test('a server without browser sign-in is reported in the input, which still accepts a key', async () => {
  await begin(`http://127.0.0.1:${(plain.address() as AddressInfo).port}`);
  const { page } = work.editor;
  await page.getByText('does not support signing in with the browser').first().waitFor();
  await work.editor.screenshot('browser-none');
  expect(await page.getByText('(2/3)').count()).toBe(1);
  await page.keyboard.press('Escape');
});

test('a denied sign-in is reported, creates no key, and can be repeated', async () => {
  await begin(work.server.url);
  const { page } = work.editor;
  const tab = await question(await codeShown());
  await tab.getByRole('button', { name: 'Deny' }).click();
  await tab.getByText('was denied.').waitFor();
  await page.getByText('was denied in the browser').first().waitFor();
  await work.editor.screenshot('browser-denied');
  await page.getByText('(2/3)').waitFor();
  await page.keyboard.press('Escape');
  expect(await keys()).toHaveLength(1);
  await tab.context().close();
});

test('Escape stops waiting, and a later approval creates no key', async () => {
  await begin(work.server.url);
  const code = await codeShown();
  await work.editor.page.keyboard.press('Escape');
  const tab = await question(code);
  await tab.getByRole('button', { name: 'Allow' }).click();
  await tab.getByText('is authorized').waitFor();
  expect(await keys()).toHaveLength(1);
  await tab.context().close();
});

test('a viewer is told that the role is too low, and the key is revoked', async () => {
  const viewer = await work.server.person('viewer');
  await begin(work.server.url);
  const tab = await question(await codeShown(), viewer);
  await tab.getByRole('button', { name: 'Allow' }).click();
  await work.editor.page.getByText('can only view content on this server').first().waitFor();
  await work.editor.page.keyboard.press('Escape');
  expect((await viewer.call('GET', `/v1/users/${viewer.guid}/keys`)).body).toHaveLength(1);
  await tab.context().close();
});

test('an allowed sign-in continues by itself: three inputs, no key shown, content live', async () => {
  const opened = work.editor.page.context().waitForEvent('page', { timeout: 90_000 });
  await begin(work.server.url);
  const { page } = work.editor;
  const code = await codeShown();
  await work.editor.screenshot('browser-code');
  expect(decodeURIComponent((await opened).url())).toContain(`/__dashboard__/device?code=${code}`);
  const tab = await question(code);
  await tab.getByRole('button', { name: 'Allow' }).click();
  await tab.getByText('is authorized').waitFor();
  await page.getByText('(3/3)').waitFor();
  await work.respond(null);
  await work.toast('static-page is live');
  // Only one key, although the abandoned attempt was allowed, too.
  expect((await keys()).map(({ name }) => name)).toEqual([
    'test',
    expect.stringMatching(/^Pressroom for VS Code on .+, \d{4}-\d\d-\d\d$/),
  ]);
  await tab.context().close();
});

const E = '/__api__/v1/experimental';
/** A folder that was never published, inside the published one. */
const fresh = () => join(work.folder, 'fresh');

test('publishes to an older server in three inputs, then one click, by documented calls only', async () => {
  const { page } = work.editor;
  await mkdir(fresh());
  for (const name of ['index.html', 'style.css']) await cp(join(work.folder, name), join(fresh(), name));
  await work.command('pressroom.publish', fresh());
  await page.getByText('(1/3)').waitFor();
  await work.respond(older.url);
  await page.getByText('(2/3)').waitFor();
  await work.respond(OLDER_KEY);
  await page.getByText('(3/3)').waitFor();
  await work.respond(null);
  await work.toast('fresh is live');
  expect(older.activeBundle()).toBe('1');
  for (const call of [
    `POST ${E}/content`,
    `POST ${E}/content/{}/upload`,
    `POST ${E}/content/{}/deploy`,
    `GET ${E}/tasks/{}`,
  ])
    expect(older.calls).toContain(call);
  await work.clearToasts();
  await writeFile(join(fresh(), 'new.txt'), 'new');
  await work.command('pressroom.publish', fresh());
  await work.toast('fresh is live');
  expect(older.activeBundle()).toBe('2');
  expect(older.bundles).toHaveLength(2);
  // The client probes the form of the API with the only GA call, not twice at the same time.
  // The page is opened as visitors do, which is no API call. The accepted content types are requested, but not
  // required.
  expect([...new Set(older.refused)].toSorted()).toEqual([
    'GET /__api__/server_settings/applications',
    'GET /__api__/v1/user',
    'GET /content/{}/',
  ]);
});

test('shows history and comparison, and rolls back', async () => {
  await work.command('pressroom.rollbackLast', fresh());
  await work.toast('fresh is live');
  expect(older.activeBundle()).toBe('1');
  expect((await readRecords(fresh()))[0]?.bundle_id).toBe('1');
  await work.command('pressroom.compare', fresh());
  await work.editor.page
    .getByText(/bundle 1 ↔ workspace \(1 file\)/)
    .first()
    .waitFor();
  expect(older.calls).toContain(`GET ${E}/bundles/{}/download`);
});

test('cancelling reports that the deploy continues on a server that cannot cancel', async () => {
  older.hold(true);
  await work.command('pressroom.publish', fresh());
  await work.toast('Deploying on the server');
  await work.press('Cancel');
  await work.toast(/Cancelled\. This server cannot cancel a task: the deploy \w+ continues there/);
  expect(older.refused.some((call) => call.endsWith('/cancel'))).toBe(true);
});
