// Covers keyboard use in a real editor: the ten most frequent jobs in few interactions, and their look in each theme.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRecords } from '@pressroom/api/publish';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { startWork, type Work } from './work.ts';

let work: Work;
beforeAll(async () => {
  work = await startWork({ extensions: inject('extensions') });
});
afterAll(() => work[Symbol.asyncDispose]());

/** Counts interactions: a chord, a command from the palette, or an answer with Enter. */
let interactions = 0;

async function chord(): Promise<void> {
  interactions += 1;
  await work.editor.page.keyboard.press('Control+K');
  await work.editor.page.keyboard.press('Shift+P');
}

async function palette(title: string): Promise<void> {
  const { page } = work.editor;
  interactions += 1;
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget:visible input').first().waitFor();
  // Inserted at once, since the palette searches again after each letter.
  await page.keyboard.insertText(`Pressroom: ${title}`);
  await page
    .locator(`.quick-input-list .monaco-list-row.focused[aria-label^="Pressroom: ${title}"]`)
    .waitFor();
  await page.keyboard.press('Enter');
}

/** Types an answer into the input that shows this text, and presses Enter. */
async function respond(shown: string | RegExp, text = ''): Promise<void> {
  const { page } = work.editor;
  interactions += 1;
  await page.locator('.quick-input-widget:visible').getByText(shown).first().waitFor();
  if (text !== '') {
    await page.keyboard.press('Control+A');
    await page.keyboard.type(text);
  }
  await page.keyboard.press('Enter');
}

/** Selects a row by its first words. @param placeholder of the list's input */
async function pick(placeholder: string, row: string): Promise<void> {
  const { page } = work.editor;
  interactions += 1;
  await page.getByPlaceholder(placeholder).first().waitFor();
  await page.keyboard.type(row);
  await page.locator('.quick-input-list .monaco-list-row.focused', { hasText: row }).waitFor();
  await page.keyboard.press('Enter');
}

const bundles = async (guid: string) =>
  (await work.person.call('GET', `/v1/content/${guid}/bundles`)).body as { id: string; active: boolean }[];
const records = () => readRecords(work.folder);

const JOBS: readonly (readonly [job: string, most: number, () => Promise<unknown>])[] = [
  [
    'publish for the first time',
    4,
    async () => {
      await chord();
      await respond('(1/3)', work.server.url);
      await respond('(2/3)', work.person.key);
      await respond('(3/3)');
      await work.toast('static-page is live');
    },
  ],
  [
    'publish again',
    1,
    async () => {
      await chord();
      await expect.poll(async () => (await bundles((await records())[0]!.guid)).length).toBe(2);
      await work.toast('static-page is live');
    },
  ],
  [
    'name a target',
    2,
    async () => {
      await palette('Name Target');
      await respond('Name of the target', 'production');
      await expect.poll(async () => (await records())[0]?.target).toBe('production');
    },
  ],
  [
    'publish as new content',
    3,
    async () => {
      await palette('Publish as New Content');
      await respond('(1/3)');
      await respond('(3/3)');
      await work.toast('static-page is live');
      expect(await records()).toHaveLength(2);
    },
  ],
  [
    'publish to another target',
    2,
    async () => {
      const production = (await records()).find(({ target }) => target === 'production')!;
      await palette('Publish to Target');
      await pick('Select where to publish', 'production');
      await expect.poll(async () => (await bundles(production.guid)).length).toBe(3);
      await work.toast('static-page is live');
    },
  ],
  [
    'select a target',
    2,
    async () => {
      await palette('Select Target');
      await pick('Select where to publish', 'production');
      await work.editor.page.locator('.statusbar-item', { hasText: 'Publish to production' }).waitFor();
    },
  ],
  [
    'roll back',
    3,
    async () => {
      const production = (await records()).find(({ target }) => target === 'production')!;
      await palette('Roll Back to Bundle');
      await pick('Select a bundle of', 'Bundle 1');
      await work.toast('static-page is live');
      await expect
        .poll(async () => (await bundles(production.guid)).find(({ active }) => active)?.id)
        .toBe('1');
    },
  ],
  [
    'preview the bundle',
    1,
    async () => {
      await palette('Preview Bundle');
      await work.editor.page
        .locator('.pane-body .monaco-list-row[aria-label^="index.html, Included: "]')
        .waitFor();
    },
  ],
  [
    'set a variable',
    4,
    async () => {
      await palette('Manage Variables');
      await pick('Select a variable to give it another value', 'Add a variable');
      await respond('Name of the variable', 'TOKEN');
      await respond('Value of TOKEN', 'hunter2');
      await work.editor.page.locator('.quick-input-list .monaco-list-row', { hasText: 'TOKEN' }).waitFor();
      await work.editor.page.keyboard.press('Escape');
    },
  ],
  // Comes last, since the editor that it opens takes the focus.
  [
    'compare with what is live',
    1,
    async () => {
      await writeFile(join(work.folder, 'index.html'), '<h1>Changed</h1>\n');
      await palette('Compare with Active Bundle');
      await work.editor.page.locator('.multiDiffEditor .monaco-diff-editor:visible').first().waitFor();
    },
  ],
];

test.each(JOBS)('by keyboard alone: %s in at most %i', async (job, most, run) => {
  interactions = 0;
  await run();
  await work.editor.screenshot(`keyboard-${job.replaceAll(' ', '-')}`);
  await work.clearToasts();
  expect(interactions).toBeLessThanOrEqual(most);
});

test('every row of the trees has an accessible name, in every theme', async () => {
  const { page } = work.editor;
  await work.editor.inHost((vs) => vs.commands.executeCommand('workbench.action.closeAllEditors'));
  await work.command('pressroom.publish', work.folder);
  await work.toast('static-page is live');
  for (const theme of ['Default Light Modern', 'Default Dark Modern', 'Default High Contrast']) {
    await work.editor.inHost(async (vs, name) => {
      await vs.workspace.getConfiguration('workbench').update('colorTheme', name, true);
    }, theme);
    const kind = theme.includes('Contrast') ? 'hc-black' : theme.includes('Dark') ? 'vs-dark' : 'vs';
    await page.locator(`.monaco-workbench.${kind}`).first().waitFor();
    const names = await page
      .locator('.pane-body .monaco-list-row:visible')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label') ?? ''));
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => name.trim() === '')).toEqual([]);
    await work.editor.screenshot(`keyboard-theme-${kind}`);
    await work.command('pressroom.publishTo', work.folder);
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'production' }).first().waitFor();
    await work.editor.screenshot(`keyboard-theme-${kind}-list`);
    await page.keyboard.press('Escape');
  }
});
