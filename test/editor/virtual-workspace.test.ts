// Covers folders that are not on disk, in a real editor: all access goes through the editor's file system.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { startGate } from './gate.ts';
import { startWork, type Work } from './work.ts';

const PAGE = 'static-page';
const REPORT = 'r-markdown-report';
const SITE = 'site';

let work: Work;
const onDisk = (name: string, ...parts: string[]) => join(dirname(work.folder), name, ...parts);
beforeAll(async () => {
  work = await startWork({ extensions: inject('extensions'), examples: [PAGE, REPORT], elsewhere: true });
});
afterAll(() => work[Symbol.asyncDispose]());
afterEach(async ({ task }) => {
  await work.editor.screenshot(`virtual-after-${task.name.replaceAll(/\W+/g, '-')}`);
  await work.clearToasts();
});

/** Runs a command on a folder, as the explorer does. */
const onFolder = (command: string, name: string) =>
  work.editor.inHost(
    (vs, id, path) => void vs.commands.executeCommand(id, vs.Uri.from({ scheme: 'elsewhere', path })),
    command,
    onDisk(name),
  );

const contentOf = async (name: string) => {
  const all = (await work.person.call('GET', '/v1/content')).body as { guid: string; name: string }[];
  return all.find(
    (content) => content.name.startsWith(name.replaceAll('-', '_')) || content.name.startsWith(name),
  )!;
};

const served = async (name: string, file = '') => {
  const { guid } = await contentOf(name);
  const response = await fetch(`${work.server.url}/content/${guid}/${file}`, {
    headers: { authorization: `Key ${work.person.key}` },
  });
  return { status: response.status, text: await response.text() };
};

test('publishes in three inputs without secrets and links, and writes a record there', async () => {
  await writeFile(onDisk(PAGE, '.env'), 'SECRET=hunter2');
  await symlink('/etc/hostname', onDisk(PAGE, 'host.txt'));
  const { page } = work.editor;
  await onFolder('pressroom.publish', PAGE);
  await page.getByText('(1/3)').waitFor();
  await work.respond(work.server.url);
  await page.getByText('(2/3)').waitFor();
  await work.respond(work.person.key);
  await page.getByText('(3/3)').waitFor();
  await page.getByText('index.html is a page that is served as it is.').waitFor();
  await work.editor.screenshot('virtual-confirm');
  await work.respond(null);
  await work.toast(`${PAGE} is live`);
  expect(await served(PAGE)).toEqual({
    status: 200,
    text: await readFile(onDisk(PAGE, 'index.html'), 'utf8'),
  });
  expect((await served(PAGE, '.env')).status).toBe(404);
  expect((await served(PAGE, 'host.txt')).status).toBe(404);
  await expect.poll(() => work.editor.log()).toContain('host.txt is excluded because it is a symbolic link.');
  expect(await readdir(onDisk(PAGE, '.pressroom/deployments'))).toHaveLength(1);
});

test('publishes unsaved changes with one click afterwards', async () => {
  await work.editor.inHost(
    async (vs, path) => {
      const uri = vs.Uri.from({ scheme: 'elsewhere', path });
      const document = await vs.workspace.openTextDocument(uri);
      const edit = new vs.WorkspaceEdit();
      edit.insert(uri, new vs.Position(0, 0), '<!-- second -->');
      await vs.workspace.applyEdit(edit);
      await vs.window.showTextDocument(document);
    },
    onDisk(PAGE, 'index.html'),
  );
  // Not saved yet, and without a folder: the active editor determines it.
  await work.command('pressroom.publish');
  await work.toast(`${PAGE} is live`);
  expect((await served(PAGE)).text).toContain('<!-- second -->');
});

test('the explorer marks files that differ from the live bundle', async () => {
  const page = await readFile(onDisk(PAGE, 'index.html'), 'utf8');
  const write = (name: string, text: string) =>
    work.editor.inHost(
      async (vs, path, content) => {
        const uri = vs.Uri.from({ scheme: 'elsewhere', path });
        await vs.workspace.fs.writeFile(uri, new TextEncoder().encode(content));
        await vs.commands.executeCommand('revealInExplorer', uri);
      },
      onDisk(PAGE, name),
      text,
    );
  const marked = (file: string, text = '') =>
    work.editor.page.locator(`.explorer-folders-view .explorer-item[aria-label*="${file} • ${text}"]`);
  await write('added.txt', 'new');
  await marked('added.txt', 'New: not published yet').waitFor();
  await marked('.env', 'Excluded').waitFor();
  expect(await marked('index.html').count()).toBe(0);
  await write('index.html', `${page}<!-- third -->`);
  await marked('index.html', 'Changed since last published').waitFor();
  await write('index.html', page);
  await marked('index.html').waitFor({ state: 'detached' });
  await rm(onDisk(PAGE, 'added.txt'));
});

test('an unchecked file goes to the ignore file there, and files open from there', async () => {
  const { page } = work.editor;
  await onFolder('pressroom.showFiles', PAGE);
  const row = page.locator('.pane-body .monaco-list-row:visible', { hasText: 'style.css' });
  await row.getByRole('checkbox').click();
  await row.getByText('left out by an ignore file').waitFor();
  expect(await readFile(onDisk(PAGE, '.pressroomignore'), 'utf8')).toBe('/style.css\n');
  await row.click();
  await work.editor.until(
    (vs) => vs.window.activeTextEditor?.document.uri.toString().startsWith('elsewhere:') === true,
  );
});

test('a failure is marked in the file there', async () => {
  const file = onDisk(REPORT, 'index.Rmd');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('barplot(units,', 'barplot(unknown_units,'));
  await onFolder('pressroom.publish', REPORT);
  await work.editor.page.getByText('(1/3)').waitFor();
  await work.respond(null);
  await work.editor.page.getByText('(3/3)').waitFor();
  await work.respond(null);
  await work.toast(/Could not publish .*: .*object 'unknown_units' not found/);
  const marks = await work.editor.inHost((vs) =>
    vs.languages
      .getDiagnostics()
      .flatMap(([uri, all]) =>
        all.filter((item) => item.source === 'Pressroom').map(() => uri.toString(true)),
      ),
  );
  expect(marks).toEqual([`elsewhere:${file}`]);
  await work.press('Open File at Line');
  await work.editor.until((vs, path) => vs.window.activeTextEditor?.document.uri.path === path, file);
});

test('the tree shows the deployments, and compares with the files there', async () => {
  const { page } = work.editor;
  await work.command('pressroom.deployments.focus');
  await page.locator(`.pane-body .monaco-list-row[aria-label*="${PAGE}"]`).first().waitFor();
  await onFolder('pressroom.compare', PAGE);
  // The style sheet was published and is excluded now.
  await page
    .getByText(/bundle \d+ ↔ workspace \(1 file\)/)
    .first()
    .waitFor();
  await writeFile(onDisk(PAGE, 'index.html'), '<p>third</p>');
  await onFolder('pressroom.compare', PAGE);
  await page
    .getByText(/bundle \d+ ↔ workspace \(2 files\)/)
    .first()
    .waitFor();
  // Checks the editors themselves, since extensions see the tab before it knows what it compares.
  const compared = () =>
    work.editor.inHost((vs) => {
      const schemes = new Set(vs.window.visibleTextEditors.map(({ document }) => document.uri.scheme));
      return [...schemes].filter((scheme) => scheme !== 'output').toSorted();
    });
  await expect.poll(compared).toEqual(['elsewhere', 'pressroom-bundle']);
});

test('a record that cannot be written is kept, and written at the next publish', async () => {
  await mkdir(onDisk(SITE, 'app'), { recursive: true });
  await writeFile(onDisk(SITE, 'index.html'), '<p>site</p>');
  await work.editor.inHost(
    (vs, name, path) =>
      vs.workspace.updateWorkspaceFolders(2, 0, { name, uri: vs.Uri.from({ scheme: 'elsewhere', path }) }),
    SITE,
    onDisk(SITE),
  );
  const refuse = (now: boolean) =>
    work.editor.inHost((vs, value) => vs.commands.executeCommand('elsewhere.refuse', value), now);
  await refuse(true);
  await onFolder('pressroom.publish', SITE);
  await work.editor.page.getByText('(1/3)').waitFor();
  await work.respond(null);
  await work.editor.page.getByText('(3/3)').waitFor();
  await work.respond(null);
  await work.toast(`${SITE} is live`);
  await work.toast(
    new RegExp(`Could not save the deployment record of ${SITE} in its folder: .*\\(NoPermissions\\)`),
  );
  await work.editor.screenshot('virtual-record-refused');
  expect(await readdir(onDisk(SITE))).not.toContain('.pressroom');
  const { guid } = await contentOf(SITE);
  await work.clearToasts();
  await work.command('pressroom.refresh');
  await onFolder('pressroom.publish', SITE);
  await work.toast(`${SITE} is live`);
  const all = (await work.person.call('GET', '/v1/content')).body as { name: string }[];
  expect(all.filter(({ name }) => name.startsWith(SITE))).toHaveLength(1);
  expect((await work.person.call('GET', `/v1/content/${guid}/bundles`)).body).toHaveLength(2);
  await refuse(false);
  await work.command('pressroom.refresh');
  const records = () => readdir(onDisk(SITE, '.pressroom/deployments')).catch(() => []);
  await expect.poll(records).toHaveLength(1);
});

test('a folder waits for the upload of its subfolder, then publishes the current files', async () => {
  await using gate = startGate(work.server.url);
  await writeFile(onDisk(SITE, 'app/index.html'), '<p>app</p>');
  await writeFile(onDisk(SITE, 'app/noise.bin'), randomBytes(10_000_000));
  const { page } = work.editor;
  await onFolder('pressroom.publish', `${SITE}/app`);
  await page.getByText('(1/3)').waitFor();
  await work.respond(gate.url());
  await page.getByText('(2/3)').waitFor();
  await work.respond(work.person.key);
  await page.getByText('(3/3)').waitFor();
  gate.holdAfter(2_000_000);
  await work.respond(null);
  await gate.held();
  await writeFile(onDisk(SITE, 'app/late.txt'), 'late');
  await onFolder('pressroom.publish', SITE);
  await work.toast('Waiting for the upload of app…');
  await work.editor.screenshot('virtual-waiting');
  gate.open();
  await work.toast('app is live');
  await work.toast(`${SITE} is live`);
  expect((await served(SITE, 'app/')).text).toBe('<p>app</p>');
  expect(await served(SITE, 'app/late.txt')).toEqual({ status: 200, text: 'late' });
});
