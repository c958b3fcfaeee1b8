// Covers an application in a real editor: missing packages are reported and added before anything is sent, variables
// are sent from a local file, and process logs open.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRecords } from '@pressroom/api/publish';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { startWork, type Work } from './work.ts';

const VALUE = 'a value that nobody else sees';

let work: Work;
let guid: string;
/** The files of the example, unchanged. */
let code: string;
let listed: string;
beforeAll(async () => {
  work = await startWork({ extensions: inject('extensions'), examples: ['fastapi-api'] });
  code = await readFile(join(work.folder, 'app.py'), 'utf8');
  listed = await requirements();
  await rm(join(work.folder, 'requirements.txt'));
});
afterAll(() => work[Symbol.asyncDispose]());
afterEach(async ({ task }) => {
  await work.editor.screenshot(`application-${task.name.replaceAll(/\W+/g, '-')}`);
  await work.clearToasts();
});

const requirements = () => readFile(join(work.folder, 'requirements.txt'), 'utf8');
const names = async () => (await work.person.call('GET', `/v1/content/${guid}/environment`)).body as string[];
const row = (name: string) =>
  work.editor.page.locator('.quick-input-list .monaco-list-row', { hasText: name });

test('publishing asks for a missing requirements.txt first, and Enter creates it', async () => {
  const { page } = work.editor;
  await work.command('pressroom.publish');
  await page.getByText('(1/3)').waitFor();
  await work.respond(work.server.url);
  await page.getByText('(2/3)').waitFor();
  await work.respond(work.person.key);
  await row('Create requirements.txt').getByText('Imported here: fastapi').waitFor();
  await work.editor.screenshot('packages-confirm');
  await work.respond(null);
  await expect.poll(() => row('Create requirements.txt').count()).toBe(0);
  expect(await requirements()).toBe('fastapi\n');
  await page.keyboard.press('Escape');
  expect((await work.person.call('GET', '/v1/content')).body).toEqual([]);
});

test('an imported package that is not listed gets a mark and a quick fix', async () => {
  const app = join(work.folder, 'app.py');
  await writeFile(app, `import yaml\n${await readFile(app, 'utf8')}`);
  const marks = () =>
    work.editor.inHost(
      (vs, file) => vs.languages.getDiagnostics(vs.Uri.file(file)).map(({ message }) => message),
      app,
    );
  await expect.poll(marks).toContain('yaml is imported, but requirements.txt does not list PyYAML.');
  const applied = await work.editor.inHost(async (vs, file) => {
    const document = await vs.workspace.openTextDocument(vs.Uri.file(file));
    await vs.window.showTextDocument(document);
    const line = document.lineAt(0).range;
    const actions = await vs.commands.executeCommand<
      { title: string; command?: { command: string; arguments: unknown[] } }[]
    >('vscode.executeCodeActionProvider', document.uri, line);
    const fix = actions.find(({ title }) => title === 'Add PyYAML to requirements.txt');
    if (fix?.command === undefined) return actions.map(({ title }) => title);
    await vs.commands.executeCommand(fix.command.command, ...fix.command.arguments);
    return 'applied';
  }, app);
  expect(applied).toBe('applied');
  await expect.poll(requirements).toMatch(/^(PyYAML\nfastapi|fastapi\nPyYAML)\n$/);
  await expect.poll(marks).toEqual([]);
});

/** Publishes the example with print statements and variables. */
async function publishExample(): Promise<void> {
  await writeFile(join(work.folder, 'requirements.txt'), listed);
  await writeFile(
    join(work.folder, 'app.py'),
    `${code}

@app.get("/greeting")
def greeting():
    import os
    print("the greeting was asked for", flush=True)
    return os.environ.get("GREETING")
`,
  );
  await writeFile(join(work.folder, '.env'), `GREETING="${VALUE}"\nDEBUG=1\nCONNECT_API_KEY=${VALUE}\n`);
  await work.firstTime();
  await work.toast('fastapi-api is live');
  await work.clearToasts();
  guid = (await work.person.call('GET', '/v1/content')).body[0].guid;
}

test('variables of .env are picked by name and apply at the next publish', async () => {
  await publishExample();
  await work.command('pressroom.setVariables');
  await row('GREETING').waitFor();
  await row('DEBUG').getByRole('checkbox').click();
  expect(await row('used by the command line').getByRole('checkbox').isChecked()).toBe(false);
  await work.editor.screenshot('variables-picked');
  await work.respond(null);
  await work.toast('Variables set for fastapi-api: GREETING.');
  expect(await names()).toEqual(['GREETING']);
  await work.press('Publish Again');
  await work.toast('fastapi-api is live');
  const response = await work.person.call('GET', `//content/${guid}/greeting`);
  expect(response.body).toBe(VALUE);
  expect(await work.editor.log()).not.toContain(VALUE);
});

test('variables already on the server are shown and set again only when picked', async () => {
  await work.command('pressroom.setVariables');
  await row('already set on the server').waitFor();
  expect(await row('GREETING').getByRole('checkbox').isChecked()).toBe(false);
  expect(await row('DEBUG').getByRole('checkbox').isChecked()).toBe(true);
  await work.respond(null);
  await work.toast('Variables set for fastapi-api: DEBUG.');
  expect(await names()).toEqual(['DEBUG', 'GREETING']);
});

test('the log of a process opens as a document that is refreshed each time', async () => {
  await work.command('pressroom.showProcessLog');
  await row('Bundle 2').click();
  await work.editor.until(
    (vs) => vs.window.activeTextEditor?.document.getText().includes('the greeting was asked for') === true,
  );
  const times = () =>
    work.editor.inHost(
      (vs) =>
        (vs.window.activeTextEditor?.document.getText() ?? '').split('the greeting was asked for').length,
    );
  const before = await times();
  await work.person.call('GET', `//content/${guid}/greeting`);
  await work.command('pressroom.showProcessLog');
  await row('Bundle 2').click();
  await expect.poll(times).toBe(before + 1);
  // Wait for the end: the document comes to the front once more, and would replace an editor that the next test opens.
  await work.ended();
});

test('unsaved changes of .env are used', async () => {
  const edited = await work.editor.inHost(
    async (vs, file) => {
      const editor = await vs.window.showTextDocument(vs.Uri.file(file));
      return editor.edit((change) => change.insert(new vs.Position(0, 0), 'UNSAVED=1\n'));
    },
    join(work.folder, '.env'),
  );
  expect(edited).toBe(true);
  await work.command('pressroom.setVariables');
  await row('UNSAVED').waitFor();
  expect(await row('UNSAVED').getByRole('checkbox').isChecked()).toBe(true);
  await work.editor.page.keyboard.press('Escape');
});

test('Set Variables is offered for .env, but not for templates; a named file is used', async () => {
  const { page } = work.editor;
  const template = join(work.folder, '.env.example');
  await writeFile(template, 'OF_THE_TEMPLATE=1\n');
  await work.command('workbench.files.action.refreshFilesExplorer');
  await work.command('workbench.view.explorer');
  const offered = page.locator('.monaco-menu .action-label', { hasText: 'Set Variables from' });
  for (const [name, times] of [
    ['.env.example', 0],
    ['.env', 1],
  ] as const) {
    await page.locator('.explorer-folders-view').getByText(name, { exact: true }).click({ button: 'right' });
    await page.locator('.monaco-menu .action-label', { hasText: 'Publish' }).first().waitFor();
    await work.editor.screenshot(`variables-menu${name}`);
    expect(await offered.count(), name).toBe(times);
    await page.keyboard.press('Escape');
    await page.locator('.monaco-menu').first().waitFor({ state: 'detached' });
  }
  await work.editor.inHost(
    (vs, file) => void vs.commands.executeCommand('pressroom.setVariables', vs.Uri.file(file)),
    template,
  );
  await row('OF_THE_TEMPLATE').waitFor();
  expect(await row('GREETING').count()).toBe(0);
  await page.keyboard.press('Escape');
});

test('Publish Again publishes to the content whose variables were set, not the newest', async () => {
  const [record] = await readRecords(work.folder);
  await work.command('pressroom.publishAsNew');
  await work.editor.page.getByText(/\(1\/3\)/).waitFor();
  await work.respond(work.server.url);
  await work.editor.page.getByText(/\(3\/3\)/).waitFor();
  await work.respond(null);
  await work.toast('fastapi-api is live');
  await work.clearToasts();
  const [newest] = await readRecords(work.folder);
  const bundles = async (of: string) =>
    ((await work.person.call('GET', `/v1/content/${of}/bundles`)).body as unknown[]).length;
  const before = await bundles(guid);
  await work.command('pressroom.setVariables', { dir: work.folder, record });
  await row('UNSAVED').waitFor();
  await work.respond(null);
  await work.toast('Variables set for fastapi-api: UNSAVED.');
  await work.press('Publish Again');
  await work.toast('fastapi-api is live');
  expect(newest!.guid).not.toBe(guid);
  expect([await bundles(guid), await bundles(newest!.guid)]).toEqual([before + 1, 1]);
});

test('variables are listed by name, added, and deleted after confirmation', async () => {
  const { page } = work.editor;
  await work.command('pressroom.manageVariables', work.folder);
  await row('Add a variable').click();
  await page.getByText('Name of the variable').first().waitFor();
  await work.respond('ADDED');
  await page.getByText('Value of ADDED').first().waitFor();
  await work.respond('x');
  await row('ADDED').waitFor();
  await work.editor.screenshot('variables-managed');
  await row('ADDED').hover();
  await row('ADDED').getByRole('button', { name: 'Delete' }).click();
  await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Delete' }).click();
  await row('Add a variable').waitFor();
  await expect.poll(() => row('ADDED').count()).toBe(0);
  await page.keyboard.press('Escape');
});

test('an application is restarted, and its output followed in its own channel', async () => {
  const [record] = await readRecords(work.folder);
  await work.command('pressroom.restart', { dir: work.folder, record });
  await work.toast(`${record!.name} was restarted.`);
  await work.person.call('GET', `//content/${record!.guid}/`);
  await work.command('pressroom.followLog', { dir: work.folder, record });
  const printed = () =>
    work.editor.inHost((vs) =>
      vs.workspace.textDocuments
        .filter(({ uri }) => uri.scheme === 'output' && uri.path.includes('fastapi-api'))
        .map((document) => document.getText())
        .join(''),
    );
  await expect.poll(printed).toContain('Process ');
  await work.person.call('GET', `//content/${record!.guid}/greeting`);
  await expect.poll(printed).toContain('the greeting was asked for');
  // The next process is followed as well.
  const processes = async () => (await printed()).match(/Process \S+ of bundle/g)?.length;
  const before = (await processes())!;
  await work.command('pressroom.restart', { dir: work.folder, record });
  await expect.poll(printed).toContain('has ended.');
  await work.person.call('GET', `//content/${record!.guid}/`);
  await expect.poll(processes).toBe(before + 1);
});

test('an application is stopped after confirmation, and no process remains', async () => {
  const [record] = await readRecords(work.folder);
  await work.command('pressroom.stop', { dir: work.folder, record });
  const dialog = work.editor.page.locator('.monaco-dialog-box');
  await dialog.getByText('Stop the processes of fastapi-api?').waitFor();
  await dialog.getByRole('button', { name: 'Stop' }).click();
  await work.toast('fastapi-api was stopped.');
  const { body } = await work.person.call('GET', `/v1/content/${record!.guid}/jobs`);
  expect(body.filter(({ status }: { status: number }) => status === 0)).toEqual([]);
});

test('deployed content that fails is not called live, and its process log is shown', async () => {
  const app = join(work.folder, 'app.py');
  const text = await readFile(app, 'utf8');
  await writeFile(app, text.replace('return {"rows"', 'return {"rows": undefined_name, "all"'));
  await work.command('pressroom.publish', work.folder);
  await work.toast(/fastapi-api was deployed, but its page does not open \(HTTP 500\)/);
  const marks = () =>
    work.editor.inHost((vs) =>
      vs.languages
        .getDiagnostics()
        .flatMap(([uri, all]) => all.map((item) => [uri.path.split('/').at(-1), item.source, item.message])),
    );
  await expect.poll(marks).toContainEqual(['app.py', 'Pressroom', expect.stringContaining('undefined_name')]);
  await writeFile(app, text);
});
