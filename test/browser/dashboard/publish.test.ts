// Covers publishing from the dashboard: dropped directories, chosen archives, and refusals.
import { execFileSync } from 'node:child_process';
import { link, mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publish, signIn } from '@pressroom/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type World, follow, makeWorld, openSection } from './world.ts';

let world: World;
let tab: Page;
let directory: string;
beforeAll(async () => {
  world = await makeWorld();
  // Otherwise the new person would already see this page.
  await world.publisher.call('PATCH', `/v1/content/${world.page.guid}`, { body: { access_type: 'acl' } });
  tab = await world.enter(await world.server.person('publisher'));
  directory = await mkdtemp(join(tmpdir(), 'pressroom-drop-'));
  await mkdir(join(directory, 'My report', 'figures'), { recursive: true });
  await mkdir(join(directory, 'My report', 'node_modules'));
  const long = 'a-rather-long-name-of-a-directory-'.repeat(3);
  await mkdir(join(directory, 'My report', long));
  const files = {
    'index.html': '<!doctype html><title>x</title><h1>Dropped</h1>',
    'figures/größe.txt': 'one',
    [`${long}/deep.txt`]: 'deep',
    'node_modules/left-out.txt': 'no',
    '.env': 'SECRET=1',
    'Icon\r': '',
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(directory, 'My report', path), text);
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await world[Symbol.asyncDispose]();
});

const status = () => tab.getByRole('region', { name: 'Upload' }).getByRole('status');

/** Waits for the end of the deploy. @returns the guid of the published content */
async function published(): Promise<string> {
  await tab.waitForURL(/\/tasks\//);
  await tab.getByRole('status').getByText('Succeeded.').waitFor();
  const href = await tab.getByRole('link', { name: 'Back to the content' }).getAttribute('href');
  return href!.split('/').at(-1)!;
}

const contentOf = async (guid: string) => (await world.administrator.call('GET', `/v1/content/${guid}`)).body;

async function read(guid: string, path: string) {
  await world.administrator.call('PATCH', `/v1/content/${guid}`, { body: { access_type: 'all' } });
  const { status: code, bytes } = await world.server.anonymous('GET', `//content/${guid}/${encodeURI(path)}`);
  return code === 200 ? bytes.toString() : code;
}

test('a person whose first deploy failed finds it below the instructions', async () => {
  const newcomer = await world.server.person('publisher');
  const failed = { 'app.py': 'raise SystemExit' };
  const metadata = { appmode: 'python-fastapi', entrypoint: 'app:app' };
  const { task } = await publish(newcomer, failed, { metadata, fields: { name: 'first-try' } });
  expect(task.code).not.toBe(0);
  const own = await world.enter(newcomer, { javaScriptEnabled: false });
  await own.goto(`${world.root}/`);
  await own.getByRole('heading', { name: 'Publish your first content' }).waitFor();
  await follow(own.getByRole('link', { name: 'See and remove them' }));
  const row = own.getByRole('row').filter({ hasText: 'first-try' });
  expect(await row.getByText('deploy failed').count()).toBe(1);
  await own.context().close();
});

test('a new publisher sees instructions, and publishes a directory by dropping it', async () => {
  await tab.goto(`${world.root}/`);
  await tab.getByRole('heading', { name: 'Publish your first content' }).waitFor();
  expect(await tab.getByLabel('Commands').innerText()).toContain(`pressroom login ${world.server.url}`);
  expect(await tab.getByRole('link', { name: 'publish the open folder' }).getAttribute('href')).toBe(
    'vscode://pressroom.pressroom/publish',
  );
  const documents = await tab.getByLabel('Choose an archive or a file').getAttribute('accept');
  expect(documents!.split(',')).toEqual(expect.arrayContaining(['.Rmd', '.qmd', '.ipynb']));
  await tab.getByLabel('Choose a directory').setInputFiles(join(directory, 'My report'));
  const guid = await published();
  expect(await tab.getByRole('link', { name: 'Open it' }).getAttribute('href')).toContain(
    `/content/${guid}/__view__?from=`,
  );
  expect(await contentOf(guid)).toMatchObject({
    title: 'My report',
    name: 'My-report',
    app_mode: 'static',
    access_type: 'acl',
  });
  expect(await read(guid, '')).toContain('Dropped');
  expect(await read(guid, 'figures/größe.txt')).toBe('one');
  expect(await read(guid, `${'a-rather-long-name-of-a-directory-'.repeat(3)}/deep.txt`)).toBe('deep');
  expect(await read(guid, 'node_modules/left-out.txt')).toBe(404);
  expect(await read(guid, '.env')).toBe(404);
});

test.each(['report.tar.gz', 'report.zip'])(
  '%s is extracted in the browser; a taken name gets a suffix',
  async (name) => {
    const file = join(directory, name);
    const make =
      'import shutil, sys; shutil.make_archive(sys.argv[1], sys.argv[2], sys.argv[3], "My report")';
    const [base, format] = name.endsWith('.zip') ? [file.slice(0, -4), 'zip'] : [file.slice(0, -7), 'gztar'];
    execFileSync('python3', ['-c', make, base, format, directory]);
    await tab.goto(`${world.root}/publish`);
    await tab.getByLabel('Choose an archive or a file').setInputFiles(file);
    const guid = await published();
    expect(await contentOf(guid)).toMatchObject({ title: 'report', name: expect.stringMatching(/^report/) });
    expect(await read(guid, 'figures/größe.txt')).toBe('one');
    expect(await read(guid, 'node_modules/left-out.txt')).toBe(404);
  },
);

test.each([
  ['tar', 'linked.tar.gz'],
  ['zip', 'linked.zip'],
])(
  'links in a %s lead to files inside the archive; others are reported at the deploy',
  async (kind, name) => {
    const linked = join(directory, 'linked');
    await rm(linked, { recursive: true, force: true });
    await mkdir(join(linked, 'deep'), { recursive: true });
    await writeFile(join(linked, 'index.html'), '<h1>Linked</h1>');
    await link(join(linked, 'index.html'), join(linked, 'deep', 'same.html'));
    await symlink('../index.html', join(linked, 'deep', 'link.html'));
    await symlink('link.html', join(linked, 'deep', 'again.html'));
    await symlink('/etc/passwd', join(linked, 'passwd.html'));
    await symlink('../../index.html', join(linked, 'deep', 'above.html'));
    const file = join(directory, name);
    if (kind === 'tar') execFileSync('tar', ['czf', file, '-C', linked, '.']);
    else execFileSync('python3', ['-c', ZIP_WITH_LINKS, file, linked]);
    await tab.goto(`${world.root}/publish`);
    await tab.getByLabel('Choose an archive or a file').setInputFiles(file);
    const guid = await published();
    const said = await tab.getByRole('note').innerText();
    expect(said).toMatch(/^Left out, because they are links that lead to no file of the archive: /);
    expect(said.split(': ')[1]!.split(', ').toSorted()).toEqual(['deep/above.html', 'passwd.html']);
    for (const path of ['index.html', 'deep/same.html', 'deep/link.html', 'deep/again.html'])
      expect(await read(guid, path), path).toContain('Linked');
    for (const path of ['passwd.html', 'deep/above.html']) expect(await read(guid, path), path).toBe(404);
  },
);

test('a comment in an archive names no other file than the one that programs extract', async () => {
  const archive = join(directory, 'commented.tar');
  execFileSync('python3', ['-c', TAR_WITH_COMMENT, archive]);
  await tab.goto(`${world.root}/publish`);
  await tab.getByLabel('Choose an archive or a file').setInputFiles(archive);
  const guid = await published();
  expect(await read(guid, 'index.html')).toContain('Commented');
  expect(await read(guid, 'other.html')).toBe(404);
});

const TAR_WITH_COMMENT = `
import io, sys, tarfile
with tarfile.open(sys.argv[1], 'w') as archive:
    info = tarfile.TarInfo('index.html')
    text = b'<h1>Commented</h1>'
    info.size, info.pax_headers = len(text), {'comment': 'x\\n19 path=other.html'}
    archive.addfile(info, io.BytesIO(text))
`;

const ZIP_WITH_LINKS = `
import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as archive:
    for above, _, names in os.walk(sys.argv[2]):
        for name in names:
            path = os.path.join(above, name)
            short = os.path.relpath(path, sys.argv[2])
            if os.path.islink(path):
                info = zipfile.ZipInfo(short)
                info.create_system, info.external_attr = 3, 0o120777 << 16
                archive.writestr(info, os.readlink(path))
            else:
                archive.write(path, short)
`;

test('a file dropped on the bundles page of content becomes its new bundle', async () => {
  await tab.goto(`${world.root}/publish`);
  const drop = (text: string) =>
    tab.evaluate(`{
      const transfer = new DataTransfer();
      transfer.items.add(new File([${JSON.stringify(text)}], 'page.html'));
      document.querySelector('[data-publish]').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true }));
    }`);
  await drop('<h1>First</h1>');
  const guid = await published();
  await tab.goto(`${world.root}/content/${guid}/bundles`);
  await drop('<h1>Second</h1>');
  expect(await published()).toBe(guid);
  expect(await read(guid, '')).toContain('Second');
});

test('a new version that is uploaded begins as a canary with the share that was typed', async () => {
  const { publisher, root } = world;
  const app = (text: string) =>
    `def app(environ, start):\n    start("200 OK", [])\n    return [b"${text}"]\n`;
  const metadata = { appmode: 'python-api', entrypoint: 'app:app' };
  const { guid } = await publish(publisher, { 'app.py': app('old') }, { metadata });
  const own = await world.enter(publisher);
  await own.goto(`${root}/content/${guid}/bundles`);
  const share = own.getByLabel('As a canary: share of new sessions (%)');
  const upload = (text: string) =>
    own.getByLabel('Choose an archive or a file').setInputFiles([
      { name: 'app.py', mimeType: 'text/x-python', buffer: Buffer.from(`from flask import Flask\n${text}`) },
      { name: 'requirements.txt', mimeType: 'text/plain', buffer: Buffer.from('') },
    ]);
  await share.fill('51');
  await upload(app('too many'));
  expect((await publisher.call('GET', `/v1/content/${guid}/bundles`)).body).toHaveLength(1);
  await share.fill('9');
  await upload('app = Flask(__name__)\n');
  await own.waitForURL(/\/tasks\//);
  expect((await publisher.call('GET', `/v1/content/${guid}/canary`)).body).toMatchObject({ share: 9 });
  await own.context().close();
});

test('warnings about the published files are shown at their deploy', async () => {
  await tab.goto(`${world.root}/publish`);
  const file = { name: 'plain.Rmd', mimeType: 'text/plain', buffer: Buffer.from('# Plain\n\nNo code.\n') };
  await tab.getByLabel('Choose an archive or a file').setInputFiles(file);
  await published();
  expect(await tab.getByRole('note').innerText()).toMatch(/^There is neither renv\.lock nor DESCRIPTION: /);
});

test('a failed upload leaves no empty content', async () => {
  await tab.goto(`${world.root}/publish`);
  const mine = async () =>
    (await world.administrator.call('GET', '/v1/search/content?q=quarterly')).body.total;
  let uploads = 0;
  await tab.route('**/bundles', (route) => {
    uploads += 1;
    return route.fulfill({ status: 413, body: '<h1>Request Entity Too Large</h1>' });
  });
  const file = { name: 'quarterly.html', mimeType: 'text/html', buffer: Buffer.from('<h1>Quarterly</h1>') };
  const input = tab.getByLabel('Choose an archive or a file');
  await input.setInputFiles(file);
  await expect.poll(() => status().innerText()).toBe('The server answered 413.');
  expect([uploads, await mine()]).toEqual([1, 0]);
  await tab.unroute('**/bundles');
  await input.setInputFiles(file);
  expect(await contentOf(await published())).toMatchObject({ name: 'quarterly', title: 'quarterly' });
});

test('an upload says that the session of its page has ended, or was replaced by another sign-in', async () => {
  const uploads = await world.enter(world.publisher);
  const context = uploads.context();
  const settings = await context.newPage();
  await uploads.goto(`${world.root}/publish`);
  await settings.goto(`${world.root}/content/${world.page.guid}/settings`);
  await openSection(settings, 'Picture');
  const file = { name: 'late.html', mimeType: 'text/html', buffer: Buffer.from('<h1>Late</h1>') };
  const ended = 'Your session has ended: reload this page to go on.';
  await context.clearCookies();
  for (const again of [false, true]) {
    if (again) await signIn(context, world.server.url, world.publisher.username);
    await uploads.getByLabel('Choose an archive or a file').setInputFiles(file);
    await settings.getByLabel('Picture for the list').setInputFiles(file);
    for (const page of [uploads, settings])
      await page
        .getByRole(page === uploads ? 'status' : 'alert')
        .getByText(ended)
        .waitFor();
    await uploads.getByRole('status').evaluate((status) => (status.textContent = ''));
  }
  expect(uploads.url()).toBe(`${world.root}/publish`);
  await context.close();
});

test('the page of a failed deploy says what to do', async () => {
  await tab.goto(`${world.root}/publish`);
  const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  await tab
    .getByLabel('Choose an archive or a file')
    .setInputFiles([
      file('app.py', 'from fastapi import FastAPI\napp = FastAPI()\nexit()\n'),
      file('requirements.txt', ''),
    ]);
  await tab.waitForURL(/\/tasks\//);
  await expect
    .poll(() => tab.getByRole('note').allInnerTexts())
    .toContainEqual(expect.stringContaining('Remove calls such as exit()') as string);
});

test('unpublishable files are rejected with advice, and create no content', async () => {
  await tab.goto(`${world.root}/publish`);
  const total = async () => (await world.administrator.call('GET', '/v1/search/content')).body.total;
  const before = await total();
  const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  const input = tab.getByLabel('Choose an archive or a file');
  await input.setInputFiles([file('app.py', 'from fastapi import FastAPI\napp = FastAPI()\n')]);
  await expect.poll(() => status().innerText()).toContain('There is no requirements.txt');
  await input.setInputFiles([file('notes.txt', 'hello')]);
  await expect
    .poll(() => status().innerText())
    .toContain(
      'on the command line or in the editor, not here. The type of this content is unknown. Choose one',
    );
  await input.setInputFiles([file('broken.zip', 'hello')]);
  await expect.poll(() => status().innerText()).toContain('not a ZIP archive');
  await input.setInputFiles([file('broken.tar.gz', 'hello')]);
  await expect.poll(() => status().innerText()).toContain('damaged');
  // A negative size led back to the same entry, until the memory was used up.
  const odd = `notes.txt${'\0'.repeat(115)}-1000`.padEnd(2048, '\0');
  await input.setInputFiles([file('odd.tar', odd)]);
  await expect.poll(() => status().innerText()).toContain('The type of this content is unknown');
  expect(await total()).toBe(before);
});
