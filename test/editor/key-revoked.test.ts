// In a real editor: a key that is revoked in the middle of a deploy loses nothing. Signing in again goes on.
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { endlessDeploys } from './endless-deploys.ts';
import { startGate, type Gate } from './gate.ts';
import { startWork, type Work } from './work.ts';

let gate: Gate;
let work: Work;
beforeAll(async () => {
  work = await startWork({ extensions: inject('extensions'), url: () => gate.url() });
  gate = startGate(work.server.url);
  await writeFile(join(work.folder, 'noise.bin'), randomBytes(10_000_000));
});
afterAll(async () => {
  await gate[Symbol.asyncDispose]();
  await work[Symbol.asyncDispose]();
});
afterEach(async ({ task }) => {
  gate.open();
  await work.editor.screenshot(`revoked-${task.name.replaceAll(/\W+/g, '-')}`);
  await work.clearToasts();
});

const contents = async () =>
  (await (await work.server.administrator()).call('GET', '/v1/content')).body as {
    guid: string;
    bundle_id: string | null;
  }[];
const record = () => readFile(join(work.folder, '.pressroom/deployments/static-page.toml'), 'utf8');
const row = (text: string) =>
  work.editor.page.locator(`.pane-body .monaco-list-row[aria-label*="${text}"]`).first();

/** Revokes every key of the publisher; answers a new one. */
async function revoke(): Promise<string> {
  const admin = await work.server.administrator();
  const keys = `/v1/users/${work.person.guid}/keys`;
  const before = (await admin.call('GET', keys)).body as { id: string }[];
  for (const { id } of before) await admin.call('DELETE', `${keys}/${id}`);
  return (await admin.call('POST', keys, { body: { name: 'after' } })).body.key as string;
}

async function signInAgain(key: string) {
  await work.press('Sign In Again');
  await work.editor.page.getByText(/API key for/).waitFor();
  await work.answer(key);
}

test('before the upload ends: what to do is said, and signing in publishes to the content that was made', async () => {
  gate.holdAfter(2_000_000);
  await work.firstTime();
  await gate.held();
  const key = await revoke();
  gate.open();
  await work.toast(/Could not publish static-page: .*Sign in again with a valid API key/);
  await work.command('pressroom.deployments.focus');
  await row('static-page').waitFor();
  await work.editor.screenshot('revoked-upload');
  // Nothing claims to be live: no record, so no content below the folder.
  await expect(record()).rejects.toThrow('ENOENT');
  const [made] = await contents();
  expect(made!.bundle_id).toBeNull();
  await signInAgain(key);
  await work.toast('static-page is live');
  expect(await contents()).toMatchObject([{ guid: made!.guid, bundle_id: expect.any(String) }]);
  expect(await record()).toContain(made!.guid);
});

test('while the server works: it may still be running, and after signing in its true end is shown', async () => {
  const deploys = endlessDeploys(work);
  const before = await record();
  await work.command('pressroom.publish');
  await deploys.begun();
  const key = await revoke();
  await work.toast(/static-page may still be deploying, .* Sign in again to check the status/);
  await work.editor.screenshot('revoked-running');
  expect(await record()).toBe(before);
  // Looking again with the same key says the same.
  await work.clearToasts();
  await work.command('pressroom.deployments.focus');
  await row('May still be deploying').hover();
  await row('May still be deploying')
    .getByRole('button', { name: /Check Deployment Status/ })
    .click();
  await work.toast(/static-page may still be deploying, .* Sign in again to check the status/);
  await signInAgain(key);
  await row('Deploying on the server').waitFor();
  deploys.finish();
  await work.toast('static-page is live');
  deploys.restore();
  expect(await record()).toContain('bundle_id = "3"');
});
