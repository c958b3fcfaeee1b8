// Covers an untrusted folder in a real editor with a stored key: nothing is sent with the key, whatever the files say,
// until the person trusts the folder. Even then, a hostile workspace cannot send a key elsewhere, nor publish a file
// from outside.
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, inject, test, vi } from 'vitest';
import { passTo, startRecorder, type Recorder } from './recorder.ts';
import { BOOT_MS } from './wait-for.ts';
import { startWork, type Work } from './work.ts';

let work: Work;
/** Recorders: one in front of the server that the key is for, one in place of a foreign server. */
let own: Recorder;
let thief: Recorder;
let parent: string;
let strange: string;
/** Milliseconds until a click on a check box has had its effect, or was lost. */
const REFUSED_MS = 5000;
const RECORD = '.pressroom/deployments/static-page.toml';

beforeAll(async () => {
  own = await startRecorder(passTo(() => work.server.url));
  thief = await startRecorder((_request, response) =>
    response.writeHead(404).end('{"code":2,"error":"x","payload":null}'),
  );
  work = await startWork({ extensions: inject('extensions'), untrusted: true, url: () => own.url });
  parent = await mkdtemp(join(tmpdir(), 'pressroom-strange-'));
  strange = join(parent, 'strange');
});
afterAll(async () => {
  await work[Symbol.asyncDispose]();
  await own[Symbol.asyncDispose]();
  await thief[Symbol.asyncDispose]();
  await rm(parent, { recursive: true, force: true });
});
afterEach(async ({ task }) => {
  await work.editor.screenshot(`hostile-${task.name.replaceAll(/\W+/g, '-')}`);
  await work.clearToasts();
});

const trusted = () => work.editor.inHost((vs) => vs.workspace.isTrusted);
const row = (text: string) =>
  work.editor.page.locator('.pane-body .monaco-list-row:visible', { hasText: text }).first();
const readRecord = (folder: string) => readFile(join(folder, RECORD), 'utf8');

async function trust() {
  await work.command('workbench.trust.manage');
  await work.editor.page.getByRole('button', { name: 'Trust', exact: true }).first().click();
  await work.editor.until((vs) => vs.workspace.isTrusted);
}

/** Tries everything that would send a request with a key. */
async function tryEverything() {
  for (const command of ['publish', 'publishAsNew', 'open', 'compare', 'rollbackLast']) {
    await work.command(`pressroom.${command}`, strange);
    await work.toast('This workspace is in Restricted Mode, so your API keys are not used.');
    await work.clearToasts();
  }
  await work.command('pressroom.refresh');
  await work.command('pressroom.deployments.focus');
  await work.expand(row('strange'), row('static-page'));
  await work.expand(row('static-page'), row('To see the history, trust this workspace.'));
  await row('static-page').click();
  const response = work.editor.inHost(async (vs) => {
    const { token } = new vs.CancellationTokenSource();
    const result = await vs.lm.invokeTool(
      'pressroom_publish',
      { input: {}, toolInvocationToken: undefined },
      token,
    );
    return result.content.map((part) => (part as { value: string }).value).join('');
  });
  await work.editor.page.locator('.monaco-dialog-box').getByRole('button', { name: 'Yes' }).click();
  expect(await response).toContain('Restricted Mode');
  await work.clearToasts();
}

/** Writes what a hostile folder may contain. */
async function writeTraps(folder: string): Promise<void> {
  const outside = join(dirname(folder), 'secret.txt');
  await writeFile(outside, 'SECRET OF SOMEBODY');
  await symlink(outside, join(folder, 'innocent.txt'));
  await symlink('/etc', join(folder, 'etc'));
  await mkdir(join(folder, '.vscode'));
  const settings = {
    'pressroom.defaultServer': thief.url,
    'pressroom.exclude': ['style.css', '!/../secret.txt'],
  };
  await writeFile(join(folder, '.vscode/settings.json'), JSON.stringify(settings));
}

test('a trusted folder signs in and publishes', async () => {
  await writeTraps(work.folder);
  await trust();
  await work.firstTime();
  await work.toast('static-page is live');
  expect(own.calls.some((call) => call.endsWith(`Key ${work.person.key}`))).toBe(true);
});

test('links out of the folder are excluded from the bundle', async () => {
  const [{ guid }] = (await work.person.call('GET', '/v1/content')).body;
  const [{ id }] = (await work.person.call('GET', `/v1/content/${guid}/bundles`)).body;
  const archive = (await work.person.call('GET', `/v1/content/${guid}/bundles/${id}/download`)).bytes;
  const tar = gunzipSync(archive).toString('latin1');
  expect(tar).toContain('index.html');
  expect(tar).not.toContain('SECRET OF SOMEBODY');
  expect(tar).not.toContain('root:');
});

test('an untrusted folder sends nothing, whatever server its record and settings name', async () => {
  await cp(work.folder, strange, { recursive: true });
  const settings = { 'pressroom.defaultServer': thief.url, 'http.proxy': thief.url };
  await writeFile(join(strange, '.vscode/settings.json'), JSON.stringify(settings));
  const { editor } = work;
  const before = await editor.inHost(() => process.pid);
  await editor.page.goto(`${new URL(editor.page.url()).origin}/?folder=${encodeURIComponent(strange)}`, {
    waitUntil: 'commit',
  });
  await editor.until((_vs, pid) => process.pid !== pid, before);
  expect(await trusted()).toBe(false);
  own.calls.length = 0;
  await tryEverything();
  await editor.screenshot('restricted-own-record');
  const record = await readRecord(strange);
  await writeFile(join(strange, RECORD), record.replace(own.url, thief.url));
  await tryEverything();
  await writeFile(join(strange, RECORD), record);
  // The key is available nevertheless: same person, same profile.
  const accounts = () =>
    editor.inHost(async (vs) => (await vs.authentication.getAccounts('pressroom')).length);
  expect(await accounts()).toBe(1);
  expect(own.calls).toEqual([]);
  expect(thief.calls).toEqual([]);
});

test('an untrusted folder still shows what would be published', async () => {
  await work.command('pressroom.showFiles', strange);
  await row('chart.svg').getByText('kB').waitFor();
  await rm(join(strange, '.pressroom'), { recursive: true });
  await work.command('pressroom.refresh');
  await row('strange').getByText('Web page, index.html').waitFor();
  expect([...own.calls, ...thief.calls]).toEqual([]);
});

test('a check box writes nothing through a link out of the folder', async () => {
  const profile = join(parent, 'profile');
  await writeFile(profile, 'own\n');
  await symlink(profile, join(strange, '.pressroomignore'));
  await work.command('pressroom.showFiles', strange);
  const refused = work.editor.page.getByText('is a symbolic link, and was not changed.').first();
  // The new link draws the rows again, and a click during that is lost.
  await vi.waitFor(
    async () => {
      await row('chart.svg').getByRole('checkbox').click();
      await refused.waitFor({ timeout: REFUSED_MS });
    },
    { timeout: BOOT_MS },
  );
  expect(await readFile(profile, 'utf8')).toBe('own\n');
  await rm(join(strange, '.pressroomignore'));
});

test('once trusted, the folder publishes to the server of its record', async () => {
  await cp(join(work.folder, '.pressroom'), join(strange, '.pressroom'), { recursive: true });
  await trust();
  await work.command('pressroom.publish', strange);
  await work.toast('strange is live');
  expect(own.calls.some((call) => call.endsWith(`Key ${work.person.key}`))).toBe(true);
  expect(thief.calls).toEqual([]);
});

test('a record that names another server gets no stored key: the user is asked for one', async () => {
  const record = await readRecord(strange);
  await writeFile(join(strange, RECORD), record.replace(own.url, thief.url));
  await work.command('pressroom.publish');
  await work.editor.page.getByText(`This folder was published to ${thief.url}`).waitFor();
  await work.editor.screenshot('hostile-asked');
  await work.editor.page.keyboard.press('Escape');
  expect(thief.calls).toEqual([]);
});

test('rejects an invalid record by name', async () => {
  await writeFile(join(strange, RECORD), 'server = "javascript:alert(1)"');
  await work.command('pressroom.publish');
  await work.toast(/static-page\.toml cannot be used/);
  expect((await work.person.call('GET', '/v1/content')).body).toHaveLength(1);
});
