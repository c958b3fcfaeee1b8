// In a real editor: a folder under Git whose branch changes while it is published, records with merge conflicts, and two
// publishes of one folder at once.
import { execFileSync } from 'node:child_process';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@pressroom/api/client';
import { deploy, readRecords } from '@pressroom/api/publish';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { waitFor } from './wait-for.ts';
import { startWork, type Work } from './work.ts';

let work: Work;
beforeAll(async () => {
  work = await startWork({ extensions: inject('extensions'), settings: { 'git.enabled': true } });
  await work.editor.inHost(async (vs) => {
    await vs.extensions.getExtension('pressroom.pressroom')!.activate();
    await vs.commands.executeCommand('workbench.view.explorer');
  });
  await untilFilesAreWatched();
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'pages');
  await work.firstTime();
  await work.toast('static-page is live');
  await work.clearToasts();
  git('add', '.');
  git('commit', '-qm', 'published');
});
afterAll(() => work[Symbol.asyncDispose]());
afterEach(async ({ task }) => {
  await work.editor.screenshot(`branches-${task.name.replaceAll(/\W+/g, '-')}`);
  await work.clearToasts();
});

/** The editor misses folders that are created while it starts to watch. */
async function untilFilesAreWatched(): Promise<void> {
  let count = 0;
  await waitFor(async () => {
    await writeFile(join(work.folder, `seen-${(count += 1)}.txt`), '');
    return (await work.editor.page.locator('.explorer-item[aria-label*="seen-"]').count()) > 0;
  });
}
function git(...args: string[]): string {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
  return execFileSync('git', [...identity, ...args], { cwd: work.folder, encoding: 'utf8' });
}
const file = () => join(work.folder, '.pressroom/deployments/static-page.toml');
const row = (text: string) =>
  work.editor.page.locator('.pane-body .monaco-list-row:visible', { hasText: text }).first();
/** Publishes, and calls this while the task runs. */
async function publishAnd(meanwhile: () => unknown): Promise<void> {
  const { deploys } = work.server.running.services;
  const own = deploys.run;
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  deploys.run = async (...args) => {
    begun.resolve();
    await goOn.promise;
    return own.apply(deploys, args);
  };
  try {
    await work.command('pressroom.publish');
    await begun.promise;
    await meanwhile();
  } finally {
    deploys.run = own;
    goOn.resolve();
  }
  await work.toast('static-page is live');
}

test('a bundle says the commit of its folder, and whether files were changed since', async () => {
  await work.editor.inHost(async (vs, folder) => {
    const extension = vs.extensions.getExtension('vscode.git')!;
    await extension.activate();
    await extension.exports.getAPI(1).openRepository(vs.Uri.file(folder));
  }, work.folder);
  const newest = async () => {
    const [{ guid }] = (await work.person.call('GET', '/v1/content')).body;
    return (await work.person.call('GET', `/v1/content/${guid}/bundles`)).body.at(-1).metadata;
  };
  const sha = git('rev-parse', 'HEAD').trim();
  await publishAnd(() => undefined);
  expect(await newest()).toMatchObject({ source_commit: sha, source_branch: 'main' });
  await work.clearToasts();
  await writeFile(join(work.folder, 'index.html'), '<p>changed</p>');
  await publishAnd(() => undefined);
  expect((await newest()).source_commit).toBe(`${sha}-dirty`);
  git('restore', '.');
});

test('the record of a branch that is checked out during a deploy stays as it is', async () => {
  const client = createClient({ url: work.server.url, apiKey: work.person.key });
  git('switch', '-qc', 'topic');
  const main = await readRecords(work.folder);
  await Array.fromAsync(deploy({ client, dir: work.folder, publishAsNew: true, name: 'topic-page' }));
  await client.close();
  const record = (await readRecords(work.folder)).find(({ guid }) => guid !== main[0]!.guid);
  await rename(record!.file, file());
  git('add', '.');
  git('commit', '-qm', 'topic');
  const topic = await readFile(file(), 'utf8');
  git('switch', '-q', 'main');
  await publishAnd(() => git('switch', '-q', 'topic'));
  expect(await readFile(file(), 'utf8')).toBe(topic);
  expect(git('status', '--short')).toBe('');
  git('switch', '-q', 'main');
});

test('a record with merge conflicts is named in the tree, and nothing is published', async () => {
  await work.command('pressroom.deployments.focus');
  const text = await readFile(file(), 'utf8');
  const conflict = text.replace(
    /^bundle_id.*$/m,
    '<<<<<<< HEAD\n$&\n=======\nbundle_id = "13"\n>>>>>>> topic',
  );
  await writeFile(file(), conflict);
  await row('it has merge conflicts').waitFor();
  await work.editor.screenshot('branches-tree');
  await work.command('pressroom.publish');
  await work.toast(/it has merge conflicts.*Resolve them in the file/);
  expect(await readFile(file(), 'utf8')).toBe(conflict);
  await writeFile(file(), text);
  await row('it has merge conflicts').waitFor({ state: 'detached' });
});

test('a removed record leaves the tree, and comes back with Git', async () => {
  const content = work.editor.page.locator('.pane-body .monaco-list-row[aria-level="2"]').first();
  await work.expand(row('static-page'), content);
  await rm(file());
  await content.waitFor({ state: 'detached' });
  await row('not published').waitFor();
  git('restore', '.pressroom');
  await work.expand(row('static-page'), content);
  expect(await content.getAttribute('aria-label')).toContain('static-page');
});

test('records that are deleted with their folder leave the tree', async () => {
  await rm(join(work.folder, '.pressroom/deployments'), { recursive: true });
  await row('not published').waitFor();
  git('restore', '.pressroom');
  await row('not published').waitFor({ state: 'detached' });
  expect(await row('static-page').count()).toBe(1);
});

test('two publishes of one folder at once both go live, and the record names the live bundle', async () => {
  const client = createClient({ url: work.server.url, apiKey: work.person.key });
  let other: unknown;
  await publishAnd(async () => {
    other = Array.fromAsync(deploy({ client, dir: work.folder }));
  });
  const events = (await other) as { type: string }[];
  await work.ended();
  expect(events.at(-1)).toMatchObject({ type: 'done' });
  const [record] = await readRecords(work.folder);
  const content = await client.getContent({ guid: record!.guid });
  await client.close();
  expect(record!.bundle_id).toBe(content.bundle_id);
});
