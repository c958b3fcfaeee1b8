// In a real editor: packages that files import and nothing lists are told, and mended, before anything is sent.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { startWork, type Work } from './work.ts';

let work: Work;
beforeAll(async () => {
  work = await startWork({ extensions: inject('extensions'), examples: ['fastapi-api'] });
  await rm(join(work.folder, 'requirements.txt'));
});
afterAll(() => work[Symbol.asyncDispose]());
afterEach(async ({ task }) => {
  await work.editor.screenshot(`packages-${task.name.replaceAll(/\W+/g, '-')}`);
  await work.clearToasts();
});

const row = (name: string) =>
  work.editor.page.locator('.quick-input-list .monaco-list-row', { hasText: name });
const requirements = () => readFile(join(work.folder, 'requirements.txt'), 'utf8');

test('a missing requirements.txt is the first thing to confirm, and Enter writes it', async () => {
  const { page } = work.editor;
  await work.command('pressroom.publish');
  await page.getByText('(1/3)').waitFor();
  await work.answer(work.server.url);
  await page.getByText('(2/3)').waitFor();
  await work.answer(work.person.key);
  await row('Create requirements.txt').getByText('Imported here: fastapi').waitFor();
  await work.editor.screenshot('packages-confirm');
  await work.answer(null);
  await expect.poll(() => row('Create requirements.txt').count()).toBe(0);
  expect(await requirements()).toBe('fastapi\n');
  await page.keyboard.press('Escape');
  expect((await work.person.call('GET', '/v1/content')).body).toEqual([]);
});

test('a package that is imported and not listed is marked in the file, with a quick fix', async () => {
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
    const actions = await vs.commands.executeCommand<{ title: string; edit?: object }[]>(
      'vscode.executeCodeActionProvider',
      document.uri,
      line,
    );
    const fix = actions.find(({ title }) => title === 'Add PyYAML to requirements.txt');
    if (fix?.edit === undefined) return actions.map(({ title }) => title);
    await vs.workspace.applyEdit(fix.edit as never);
    await vs.workspace.saveAll();
    return 'applied';
  }, app);
  expect(applied).toBe('applied');
  await expect.poll(requirements).toMatch(/^(PyYAML\nfastapi|fastapi\nPyYAML)\n$/);
  await expect.poll(marks).toEqual([]);
});
