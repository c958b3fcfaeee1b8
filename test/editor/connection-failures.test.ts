// Covers connection failures in a real editor: each is one message that says what to do. A key revoked during a deploy
// loses nothing: signing in continues it. Cancel leaves nothing behind, and reloading the window loses nothing.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRecords } from '@pressroom/api/publish';
import { caller } from '@pressroom/testkit';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { endlessDeploys } from './endless-deploys.ts';
import { startGate, type Gate } from './gate.ts';
import { startWork, type Work } from './work.ts';

let work: Work;
let gate: Gate;
const servers: Server[] = [];
const parent = await mkdtemp(join(tmpdir(), 'pressroom-tls-'));
beforeAll(async () => {
  work = await startWork({ extensions: inject('extensions'), url: () => gate.url() });
  gate = startGate(work.server.url);
  await writeFile(join(work.folder, 'noise.bin'), randomBytes(3_000_000));
});
afterAll(async () => {
  await gate[Symbol.asyncDispose]();
  for (const server of servers) server.close();
  await work[Symbol.asyncDispose]();
  await rm(parent, { recursive: true });
});
afterEach(async ({ task }) => {
  gate.open();
  await work.editor.screenshot(`connection-${task.name.replaceAll(/\W+/g, '-')}`);
  await work.clearToasts();
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Types an address into the first input, and returns the error shown: before it, the input may say that it waits. */
async function refusedAddress(address: string): Promise<string> {
  const { page } = work.editor;
  await work.command('pressroom.publish');
  await page.getByText('(1/3)').waitFor();
  await work.respond(address);
  const message = page.locator('.quick-input-message:visible').first();
  let said = '';
  const look = async () => (said = (await message.textContent()) ?? '');
  await expect.poll(look).toMatch(/^(?!Server address|Waiting for a response)./);
  await work.editor.screenshot(`connection-${address.replaceAll(/\W+/g, '-')}`);
  await page.keyboard.press('Escape');
  return said;
}

test('explains a certificate of an unknown authority', async () => {
  const [key, cert] = [join(parent, 'key.pem'), join(parent, 'cert.pem')];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert, ...subject],
    { stdio: 'ignore' },
  );
  const port = await listening(
    createTlsServer({ key: await readFile(key), cert: await readFile(cert) }, (_request, response) =>
      response.end('{}'),
    ),
  );
  expect(await refusedAddress(`https://127.0.0.1:${port}`)).toMatch(
    /no trusted secure connection.*Add the certificate authority/,
  );
});

test('explains the login page of a proxy', async () => {
  const port = await listening(
    createHttpServer((_request, response) => {
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<html><title>Sign in to the network</title></html>');
    }),
  );
  expect(await refusedAddress(`http://127.0.0.1:${port}`)).toMatch(
    /web page \("Sign in to the network"\).*proxy/,
  );
});

test('explains a host name that does not exist', async () => {
  expect(await refusedAddress('http://no-such-host.invalid')).toMatch(/host name was not found.*spelling/);
});

const contents = async () =>
  (await (await work.server.administrator()).call('GET', '/v1/content')).body as {
    guid: string;
    name: string;
    bundle_id: string | null;
  }[];
const live = async () => (await contents()).map(({ bundle_id }) => bundle_id);
const record = () => readFile(join(work.folder, '.pressroom/deployments/static-page.toml'), 'utf8');
const row = (text: string) =>
  work.editor.page.locator(`.pane-body .monaco-list-row[aria-label*="${text}"]`).first();

let newKey: string;

/** Revokes every key of the publisher, and returns a new one. */
async function revoke(): Promise<string> {
  const admin = await work.server.administrator();
  const keys = `/v1/users/${work.person.guid}/keys`;
  const before = (await admin.call('GET', keys)).body as { id: string }[];
  for (const { id } of before) await admin.call('DELETE', `${keys}/${id}`);
  newKey = (await admin.call('POST', keys, { body: { name: 'after' } })).body.key;
  return newKey;
}

async function signInAgain(key: string) {
  await work.press('Sign In Again');
  await work.editor.page.getByText(/API key for/).waitFor();
  await work.respond(key);
}

test('a key revoked during the upload: signing in publishes to the same content', async () => {
  gate.holdAfter(2_000_000);
  await work.firstTime();
  await gate.held();
  const key = await revoke();
  gate.open();
  await work.toast(/Could not publish static-page: .*Sign in again with a valid API key/);
  await work.command('pressroom.deployments.focus');
  await row('static-page').waitFor();
  await work.editor.screenshot('revoked-upload');
  // Nothing is reported as live: the record names the created content, and no bundle.
  const [made] = await contents();
  expect(await record()).toContain(made!.guid);
  expect(await record()).not.toContain('bundle_id');
  expect(made!.bundle_id).toBeNull();
  await signInAgain(key);
  await work.toast('static-page is live');
  expect(await contents()).toMatchObject([{ guid: made!.guid, bundle_id: expect.any(String) }]);
  expect(await record()).toContain(made!.guid);
});

test('a key revoked during the deploy: signing in shows its outcome', async () => {
  const deploys = endlessDeploys(work);
  const before = await record();
  await work.command('pressroom.publish');
  await deploys.begun();
  const key = await revoke();
  await work.toast(/static-page may still be deploying, .* Sign in again to check the status/);
  await work.editor.screenshot('revoked-running');
  expect(await record()).toBe(before);
  // Checking again with the same key gives the same message.
  await work.clearToasts();
  await work.command('pressroom.deployments.focus');
  await work.pressIn(row('May still be deploying'), /Check Deployment Status/);
  await work.toast(/static-page may still be deploying, .* Sign in again to check the status/);
  await signInAgain(key);
  await row('Deploying on the server').waitFor();
  deploys.finish();
  await work.toast('static-page is live');
  deploys.restore();
  expect(await record()).toContain('bundle_id = "2"');
});

test('a lost server at the start is reported, and Retry publishes', async () => {
  await work.command('pressroom.publishAsNew');
  await work.editor.page.getByText('(1/3)').waitFor();
  await work.respond(gate.url());
  await work.editor.page.getByText('(3/3)').waitFor();
  gate.close();
  await work.respond(null);
  await work.toast(/Could not publish static-page: No response from .*: the connection was lost/);
  gate.open();
  await work.press('Retry');
  await work.toast('static-page is live');
  expect(await live()).toHaveLength(2);
  expect(await live()).not.toContain(null);
});

test('a key revoked before publishing: signing in continues', async () => {
  const before = await live();
  const key = await revoke();
  await work.command('pressroom.publish');
  await work.toast(/Could not publish .*: .*Sign in again with a valid API key/);
  await work.editor.screenshot('connection-revoked');
  await signInAgain(key);
  await work.toast('static-page is live');
  expect(await live()).not.toEqual(before);
});

test('deleted content offers Publish as New', async () => {
  const admin = await work.server.administrator();
  const [newest] = await readRecords(work.folder);
  await admin.call('DELETE', `/v1/content/${newest!.guid}`);
  await work.command('pressroom.publish');
  await work.toast('Could not publish static-page: The content no longer exists on the server.');
  await work.editor.screenshot('connection-deleted');
  await work.press('Publish as New');
  await work.toast('static-page is live');
  expect(await live()).toHaveLength(2);
  expect(await live()).not.toContain(null);
});

test('a taken name gets a suffix', async () => {
  const { page } = work.editor;
  await work.command('pressroom.publishAsNew');
  await page.getByText('(1/3)').waitFor();
  await work.respond(null);
  await page.getByText('(3/3)').waitFor();
  await work.respond(null);
  await work.toast('static-page is live');
  const like = expect.stringMatching(/^static-page-\w{5}$/);
  const names = (await contents()).map(({ name }) => name);
  expect(names.toSorted()).toEqual(['static-page', like, like]);
});

/** A new folder inside the published one, so that it contains only what the cancelled publish leaves. */
const fresh = () => join(work.folder, 'fresh');
/** More than the buffers of connections hold: only while uploads are held, as it costs much to pack and unpack. */
const noise = () => join(fresh(), 'noise.bin');
const addNoise = () => writeFile(noise(), randomBytes(30_000_000));
const publishFresh = () => work.command('pressroom.publish', fresh());
/** Publishes a folder for the first time, and returns during its upload. */
async function firstUpload(dir: string): Promise<void> {
  const { page } = work.editor;
  await work.command('pressroom.publish', dir);
  await page.getByText('(1/3)').waitFor();
  await work.respond(gate.url());
  await page.getByText('(3/3)').waitFor();
  gate.holdAfter(2_000_000);
  await work.respond(null);
  await gate.held();
}
const ofFresh = async () => (await contents()).filter(({ name }) => name.startsWith('fresh'));
const bundles = async (guid: string) =>
  (await caller(() => work.server.url, newKey)('GET', `/v1/content/${guid}/bundles`)).body as {
    id: string;
    active: boolean;
  }[];

test('cancelling a first upload deletes the content created for it', async () => {
  await mkdir(fresh());
  await cp(join(work.folder, 'index.html'), join(fresh(), 'index.html'));
  await addNoise();
  await firstUpload(fresh());
  expect(await ofFresh()).toHaveLength(1);
  await work.toast(/Uploading [\d.]+ .?B of (29|30) MB/);
  await work.editor.screenshot('cancel-uploading');
  await work.press('Cancel');
  gate.open();
  await work.toast('Cancelled. Nothing was left on the server.');
  expect(await ofFresh()).toEqual([]);
  await rm(noise());
});

test('publishing afterwards takes one click, as the answers were kept', async () => {
  await publishFresh();
  await work.toast('fresh is live');
  expect(await ofFresh()).toHaveLength(1);
});

test('cancelling during the deploy stops its task and keeps the live bundle', async () => {
  const [before] = await ofFresh();
  const deploys = endlessDeploys(work);
  await publishFresh();
  await deploys.begun();
  await work.editor.screenshot('cancel-rendering');
  await work.press('Cancel');
  await work.toast('Cancelled. Nothing was left on the server.');
  deploys.restore();
  const { storage } = work.server.running.services;
  expect(await storage.db.selectFrom('task').selectAll().where('finished', '=', 0).execute()).toEqual([]);
  const [content] = await ofFresh();
  expect(content!.bundle_id).toBe(before!.bundle_id);
  expect((await bundles(content!.guid)).map(({ id }) => id)).toEqual([before!.bundle_id]);
});

test('after a reload, a deploy continues, in the tree and in the log, and an upload left no partial bundle', async () => {
  const [target] = await readRecords(work.folder);
  const before = (await bundles(target!.guid)).map(({ id }) => id);
  const [content] = await ofFresh();
  const ofContent = (await bundles(content!.guid)).length;
  const deploys = endlessDeploys(work);
  await work.command('pressroom.publish', work.folder);
  await deploys.begun();
  // For the test of marks below: the next window gets no event about this change.
  await appendFile(join(work.folder, 'style.css'), '/* changed */');
  await addNoise();
  gate.holdAfter(2_000_000);
  await publishFresh();
  await gate.held();
  await work.editor.reload();
  gate.open();
  await work.toast('Publishing fresh was interrupted when the window was closed.');
  await work.editor.screenshot('cut-off');
  await work.toast('Publishing static-page');
  await work.command('pressroom.deployments.focus');
  await row('Deploying on the server').waitFor();
  await work.editor.screenshot('resumed');
  deploys.finish();
  await work.toast('static-page is live');
  deploys.restore();
  const sent = (await bundles(target!.guid)).filter(({ id }) => !before.includes(id));
  expect(sent).toHaveLength(1);
  await expect.poll(async () => (await readRecords(work.folder))[0]?.bundle_id).toBe(sent[0]!.id);
  await expect.poll(() => work.editor.log()).toMatch(/chunk 1 of 2\n.*chunk 2 of 2/);
  await work.press('Publish Again');
  await work.toast('fresh is live');
  expect(await bundles(content!.guid)).toHaveLength(ofContent + 1);
});

test('marks appear in the next window, too', async () => {
  await work.command('workbench.view.explorer');
  const marked = (file: string) =>
    work.editor.page.locator(`.explorer-folders-view .explorer-item[aria-label*="${file} • "]`);
  const changed = marked('style.css').and(
    work.editor.page.locator('[aria-label*="Changed since last published"]'),
  );
  await changed.waitFor();
  expect(await marked('index.html').count()).toBe(0);
});

test('after the extension host is killed in a first upload, the content is reused', async () => {
  const killed = join(work.folder, 'killed');
  await cp(fresh(), killed, { recursive: true, filter: (file) => !file.endsWith('.pressroom') });
  await firstUpload(killed);
  const ofKilled = async () => (await contents()).filter(({ name }) => name === 'killed');
  const [made] = await ofKilled();
  const host = await work.editor.inHost(() => process.pid);
  process.kill(host, 'SIGKILL');
  gate.open();
  await work.editor.until((_vs, before) => process.pid !== before, host);
  await work.toast('Publishing killed was interrupted when the window was closed.');
  await work.press('Publish Again');
  await work.toast('killed is live');
  expect(await ofKilled()).toMatchObject([{ guid: made!.guid, bundle_id: expect.any(String) as string }]);
});

test('a deploy continues when its folder is opened in a workspace with another one', async () => {
  await rm(noise());
  const deploys = endlessDeploys(work);
  await publishFresh();
  await deploys.begun();
  const both = join(work.folder, '../both.code-workspace');
  await writeFile(both, JSON.stringify({ folders: [{ path: work.folder }, { path: parent }] }));
  await work.editor.open(both);
  await work.toast('Publishing fresh');
  deploys.finish();
  await work.toast('fresh is live');
  deploys.restore();
  const [content] = await ofFresh();
  const newest = Math.max(...(await bundles(content!.guid)).map(({ id }) => Number(id)));
  await expect.poll(async () => (await readRecords(fresh()))[0]?.bundle_id).toBe(String(newest));
});
