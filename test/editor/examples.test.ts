// Covers every example in one workspace, in a real editor with real R and Python: published with three inputs, then
// with one click. Failures are marked in place, Retry works after the fix, and Cancel leaves no process.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readRecords } from '@pressroom/api/publish';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { startWork, type Work } from './work.ts';

const LIVE_MS = 90_000;
const REPORT = 'r-markdown-report';
const WITH_PARAMETERS = `---
title: Sales
output: html_document
params:
  region:
    label: Region
    value: North
    choices: [North, South]
  year:
    label: Year
    input: slider
    value: 2026
    min: 2020
    max: 2030
---

Sales of \`r params$region\` in \`r params$year\`.
`;

const names = readdirSync(join(import.meta.dirname, '../../examples')) as [string, ...string[]];
let work: Work;
const dirOf = (name: string) => join(dirname(work.folder), name);
beforeAll(async () => {
  work = await startWork({ extensions: inject('extensions'), examples: names });
  await work.editor.inHost((vs) => vs.commands.executeCommand('workbench.view.explorer'));
});
afterAll(() => work[Symbol.asyncDispose]());
afterEach(async ({ task }) => {
  await work.editor.screenshot(`example-${task.name.replaceAll(/\W+/g, '-')}`);
  await work.clearToasts();
});

async function change(name: string, file: string, from: string, to: string) {
  const path = join(dirOf(name), file);
  const text = await readFile(path, 'utf8');
  expect(text).toContain(from);
  await writeFile(path, text.replace(from, to));
  return async () => writeFile(path, text);
}

/** Returns the extension's diagnostics: file or cell, line (from 1), message. */
const marks = () =>
  work.editor.inHost((vs) =>
    vs.languages.getDiagnostics().flatMap(([uri, all]) =>
      all
        .filter((item) => item.source === 'Pressroom')
        .map((item) => ({
          file: uri.path.split('/').at(-1),
          scheme: uri.scheme,
          line: item.range.start.line + 1,
          message: item.message,
        })),
    ),
  );

async function lineOf(name: string, file: string, text: string): Promise<number> {
  return (
    (await readFile(join(dirOf(name), file), 'utf8')).split('\n').findIndex((line) => line.includes(text)) + 1
  );
}

test('there are six examples', () => {
  expect(names).toHaveLength(6);
});

test.each(names)('%s', async (name) => {
  const dir = dirOf(name);
  const live = () => work.toast(`${name} is live`);
  await work.firstTime(dir);
  await live();
  await work.clearToasts();
  await work.command('pressroom.publish', dir);
  await live();
  const contents = (await work.person.call('GET', '/v1/content')).body as { guid: string; name: string }[];
  const content = contents.find((item) => item.name === basename(dir))!;
  const bundles = (await work.person.call('GET', `/v1/content/${content.guid}/bundles`)).body;
  expect(bundles).toHaveLength(2);
  expect((await work.person.call('GET', `//content/${content.guid}/`)).status).toBeLessThan(500);
});

test('a failing R chunk shows its cause, a mark and the line; Retry works after the fix', async () => {
  const name = REPORT;
  const fix = await change(name, 'index.Rmd', 'barplot(units,', 'barplot(unknown_units,');
  await work.command('pressroom.publish', dirOf(name));
  await work.toast(/Could not publish .*: .*object 'unknown_units' not found/);
  expect(await marks()).toEqual([
    {
      file: 'index.Rmd',
      scheme: 'file',
      line: await lineOf(name, 'index.Rmd', 'barplot(unknown_units,'),
      message: "object 'unknown_units' not found",
    },
  ]);
  await work.editor.screenshot('failure-chunk');
  await work.press('Open File at Line');
  await work.editor.until((vs) => vs.window.activeTextEditor?.document.uri.path.endsWith('index.Rmd'));
  await work.command('workbench.actions.view.problems');
  await work.editor.screenshot('failure-problems');
  await fix();
  await work.press('Retry');
  await work.toast(`${name} is live`);
  expect(await marks()).toEqual([]);
});

test('a failing notebook cell is marked; Retry works after the fix', async () => {
  const name = 'jupyter-notebook';
  const fix = await change(name, 'cafes.ipynb', 'import csv', 'import csvv');
  await work.command('pressroom.publish', dirOf(name));
  await work.toast(/Could not publish .*: .*No module named 'csvv'/);
  const [mark] = await marks();
  expect(mark).toMatchObject({ file: 'cafes.ipynb', scheme: 'vscode-notebook-cell' });
  expect(mark!.message).toContain("No module named 'csvv'");
  await work.editor.screenshot('failure-cell');
  await fix();
  await work.press('Retry');
  await work.toast(`${name} is live`);
  expect(await marks()).toEqual([]);
});

test('a Python traceback is marked at the line of the user’s file', async () => {
  const name = 'fastapi-api';
  const fix = await change(name, 'app.py', 'import csv', 'import csv\nimport notthere');
  await work.command('pressroom.publish', dirOf(name));
  await work.toast(/Could not publish .*: .*No module named 'notthere'/);
  expect(await marks()).toMatchObject([
    { file: 'app.py', line: await lineOf(name, 'app.py', 'import notthere') },
  ]);
  await work.editor.screenshot('failure-traceback');
  await fix();
  await work.press('Retry');
  await work.toast(`${name} is live`);
});

test('a missing R package is marked where it is loaded', async () => {
  const name = 'shiny-app';
  const fix = await change(name, 'app.R', 'library(shiny)', 'library(shiny)\nlibrary(notinstalledhere)');
  await work.command('pressroom.publish', dirOf(name));
  await work.toast(/Could not publish .*: .*notinstalledhere/);
  expect(await marks()).toMatchObject([
    { file: 'app.R', line: await lineOf(name, 'app.R', 'library(notinstalledhere)') },
  ]);
  await work.editor.screenshot('failure-package');
  await fix();
  await work.press('Retry');
  await work.toast(`${name} is live`);
});

test('a schedule of a document is set, shown and removed', async () => {
  const dir = dirOf(REPORT);
  const [record] = await readRecords(dir);
  const schedule = async () => (await work.person.call('GET', `/v1/content/${record!.guid}/schedule`)).body;
  const row = (text: string) =>
    work.editor.page.locator('.quick-input-list .monaco-list-row', { hasText: text });
  await work.command('pressroom.schedule', { dir, record });
  await row('Monday to Friday at 6:00').click();
  await work.toast(/Rendered at 0 6 \* \* 1-5/);
  expect(await schedule()).toMatchObject({ cron: '0 6 * * 1-5' });
  await work.ended();
  await work.command('pressroom.schedule', { dir, record });
  await row('Monday to Friday at 6:00').getByText('now').waitFor();
  await row('Remove the schedule').click();
  await work.toast('r-markdown-report no longer has a schedule.');
  expect(await schedule()).toMatchObject({ code: 4 });
});

test('a variant is created from parameters, rendered and listed with its renderings', async () => {
  const dir = dirOf(REPORT);
  const before = await readFile(join(dir, 'index.Rmd'), 'utf8');
  await writeFile(join(dir, 'index.Rmd'), WITH_PARAMETERS);
  await work.command('pressroom.publish', dir);
  await work.toast(`${REPORT} is live`);
  await work.clearToasts();
  const { page, screenshot } = work.editor;
  const row = (text: string | RegExp) =>
    page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();
  const input = page.locator('.quick-input-widget:visible');
  await work.command('pressroom.variants', dir);
  await row('Default').waitFor();
  await row('Render with other values').click();
  await row('Region').click();
  await row('South').click();
  await row(/Region.*South/).waitFor();
  await row('Year').click();
  await input.getByText('from 2020 to 2030').first().waitFor();
  await work.respond('2031');
  await input.getByText('Enter a value from 2020 to 2030.').first().waitFor();
  await work.respond('2025');
  await row(/Year.*2025/).waitFor();
  await screenshot('variants-form');
  await row('Save as variant').click();
  await input.getByText('A name, such as the region').first().waitFor();
  await work.respond('The South');
  await row('All who may view the content').click();
  await work.toast('The South was rendered.');

  const [record] = await readRecords(dir);
  const { body } = await work.person.call('GET', `/v1/content/${record!.guid}/variants`);
  const made = body.find(({ name }: { name: string }) => name === 'The South');
  expect(made).toMatchObject({ visibility: 'public', values: { region: 'South', year: 2025 } });
  const rendered = await fetch(made.url, { headers: { authorization: `Key ${work.person.key}` } });
  expect(await rendered.text()).toContain('Sales of South in 2025.');

  await work.clearToasts();
  await work.command('pressroom.variants', dir);
  await row(/The South.*region = South · year = 2025/).waitFor();
  await screenshot('variants-list');
  await row('The South').click();
  await row('Renderings').click();
  await row(/year = 2025.*shown/).waitFor();
  await screenshot('variants-renderings');
  await page.keyboard.press('Escape');

  await work.command('pressroom.showRenderingLog', dir);
  await page.getByPlaceholder('Select a rendering').waitFor();
  await row('succeeded').click();
  await work.editor.until(
    (vs) => vs.window.activeTextEditor?.document.getText().includes('Output created: index.html') === true,
  );
  await screenshot('rendering-log');
  await work.ended();
  await writeFile(join(dir, 'index.Rmd'), before);
});

test('Cancel ends a rendering with its processes, and keeps the live bundle', async () => {
  const name = REPORT;
  const fix = await change(
    name,
    'index.Rmd',
    'barplot(units,',
    "message('now-it-waits'); Sys.sleep(3600); barplot(units,",
  );
  const script = resolve(
    import.meta.dirname,
    '../../packages/server/src/runtime/kinds/r-markdown/render-r-markdown.R',
  );
  // Only of this server: others may be rendering at the same time.
  const renders = () =>
    execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.includes(script) && line.includes(work.server.dataDir));
  await work.command('pressroom.publish', dirOf(name));
  await work.toast(/Deploying on the server/);
  await expect.poll(renders, { timeout: LIVE_MS }).not.toEqual([]);
  await work.editor.screenshot('cancel-render');
  await work.press('Cancel');
  await work.toast('Cancelled. Nothing was left on the server.');
  expect(renders()).toEqual([]);
  await fix();
});
