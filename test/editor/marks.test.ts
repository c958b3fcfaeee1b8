// In a real editor: the marks of the explorer are true. They follow content, not times, and the bundle that is live.
import { readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@pressroom/api/client';
import { deploy } from '@pressroom/api/publish';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { startWork, type Work } from './work.ts';

let work: Work;
beforeAll(async () => {
  work = await startWork({ extensions: inject('extensions') });
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

/** The next look has ended when it shows this file, which was not there before. */
async function nextLook(file: string, mark = 'New: not published yet') {
  await write(file, 'new');
  await marked(file, mark).waitFor();
}

test('before the first publishing, every file that goes in will be uploaded', async () => {
  await marked('index.html', 'Will be published').waitFor();
  expect(await marked('.pressroom').count()).toBe(0);
});

test('a first deploy that fails publishes nothing, and the record says so', async () => {
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
  expect(await marked('index.html', 'Will be published').count()).toBe(1);
  await work.command('pressroom.deployments.focus');
  await work.editor.screenshot('marks-failed-tree');
  await work.command('workbench.view.explorer');
});

test('once it is live there are no marks, and a new time makes none', async () => {
  await work.command('pressroom.publish');
  await work.toast('static-page is live');
  expect(await record()).toContain('bundle_id = "2"');
  await marked('index.html').waitFor({ state: 'detached' });
  await utimes(join(work.folder, 'style.css'), new Date(), new Date());
  await nextLook('two.txt');
  expect(await marked('style.css').count()).toBe(0);
});

test('a file whose content changed is marked, even when its size and time did not, until it is as before', async () => {
  const page = await read('index.html');
  const old = new Date('2020-01-01');
  await write('index.html', page.replace('a', 'b'));
  await utimes(join(work.folder, 'index.html'), old, old);
  await marked('index.html', CHANGED).waitFor();
  await write('index.html', page);
  await marked('index.html').waitFor({ state: 'detached' });
  expect(await marked('style.css').count()).toBe(0);
});

test('after a rollback record and marks speak of the bundle that is live', async () => {
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
});

test('marks are there in the next window, too', async () => {
  await work.editor.reload();
  await marked('style.css', CHANGED).waitFor();
  expect(await marked('index.html').count()).toBe(0);
});

test('what somebody else published has no marks, until it is compared with', async () => {
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
